import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Empty } from '../ui/states.tsx';

/** No such page. */
export const Component = () => (
  <>
    <title>Not found · Callsmith</title>
    <Empty
      title="No such page"
      action={
        <Button component={Link} to="/" variant="default">
          To the Overview
        </Button>
      }
    >
      The address may be old, or have a letter too many.
    </Empty>
  </>
);
