import { Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../../lib/address.ts';
import { hasRole, useMe } from '../../../lib/session.ts';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import { groupHistoryQuery } from '../queries.ts';
import { Decided, Decisions } from './decisions.tsx';
import { GroupTimeline } from './group-timeline.tsx';

/** The history of the group of failures in the URL, and what is decided about it. */
export function GroupDialog() {
  const address = useAddress();
  const group = address.get('story') ?? '';
  const teamId = address.get('team');
  const story = useQuery(groupHistoryQuery(group, teamId));
  const decides = hasRole(useMe(), 'editor');
  return (
    <Modal opened onClose={() => address.set({ story: null })} title="Failure group" size="xl">
      <Stack>
        {story.isPending && <LoadingRows rows={8} />}
        {story.isError && !story.data && <Problem error={story.error} onRetry={() => void story.refetch()} />}
        {story.data && (
          <>
            {decides ? <Decisions story={story.data} group={group} teamId={teamId} /> : <Decided story={story.data} />}
            <GroupTimeline story={story.data} />
          </>
        )}
      </Stack>
    </Modal>
  );
}
