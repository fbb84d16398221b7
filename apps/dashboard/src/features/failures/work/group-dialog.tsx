import { Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../../lib/address.ts';
import { may, useMe } from '../../../lib/session.ts';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import { storyQuery } from '../queries.ts';
import { Decided, Decisions } from './decisions.tsx';
import { Story } from './story.tsx';

/** The story of the group of failures that stands in the address, and what is decided about it. */
export function GroupDialog() {
  const address = useAddress();
  const group = address.get('story') ?? '';
  const teamId = address.get('team');
  const story = useQuery(storyQuery(group, teamId));
  const decides = may(useMe(), 'editor');
  return (
    <Modal opened onClose={() => address.set({ story: null })} title="Failure group" size="xl">
      <Stack>
        {story.isPending && <LoadingRows rows={8} />}
        {story.isError && !story.data && <Problem error={story.error} onRetry={() => void story.refetch()} />}
        {story.data && (
          <>
            {decides ? <Decisions story={story.data} group={group} teamId={teamId} /> : <Decided story={story.data} />}
            <Story story={story.data} />
          </>
        )}
      </Stack>
    </Modal>
  );
}
