import { Anchor, Group } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { RequestView } from './request-view.tsx';

/** One recorded request on a page of its own. */
export function FailurePage() {
  const { id = '' } = useParams();
  return (
    <>
      <title>Request · Callsmith</title>
      <Anchor component={Link} to="/failures" fz="sm" c="dimmed">
        <Group gap={2} component="span" display="inline-flex">
          <IconChevronLeft size={15} aria-hidden="true" /> Failures
        </Group>
      </Anchor>
      <RequestView id={id} />
    </>
  );
}
