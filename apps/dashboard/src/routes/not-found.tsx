import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../ui/page.tsx';

/** No such page. */
export const Component = () => (
  <Page title="No such page">
    <Text>
      The address may be old, or have a letter too many.{' '}
      <Anchor component={Link} to="/">
        To the Overview
      </Anchor>
    </Text>
  </Page>
);
