import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../ui/page.tsx';

/** The page of an address that leads nowhere. */
export const Component = () => (
  <Page title="Page not found">
    <Text>
      The address may be outdated or mistyped.{' '}
      <Anchor component={Link} to="/">
        Go to Overview
      </Anchor>
    </Text>
  </Page>
);
