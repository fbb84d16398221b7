import type { TurnDetail } from '@callsmith/contracts';
import { Button, Menu } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { copyText } from '../../lib/copy-text.ts';
import { useMe } from '../../lib/session.ts';
import { toast } from '../../ui/toast.ts';
import { bugReportOf } from './bug-report.ts';
import { curlOf, parseCasesOf } from './copies.ts';

/** Copies a request as a command, its model output as a test case, or all of it as a report. Secrets in it are masked, as they were recorded. */
export function CopyAs({ detail, body }: { detail: TurnDetail; body: NonNullable<TurnDetail['body']> }) {
  const { version } = useMe().installation;
  const { turn } = detail;
  const copy = async (what: string, text: string) =>
    toast((await copyText(text)) ? `${what} copied` : 'The browser does not allow copying');
  const { clientRequest, raw } = body;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconCopy size={14} aria-hidden="true" />}>
          Copy as…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {clientRequest !== null && (
          <Menu.Item onClick={() => void copy('Command', curlOf(window.location.origin, turn.route, clientRequest))}>
            Command for curl
          </Menu.Item>
        )}
        {raw.length > 0 && (
          <Menu.Item onClick={() => void copy('Test case', parseCasesOf({ turn, body }))}>
            Test case for callsmith parse
          </Menu.Item>
        )}
        <Menu.Item onClick={() => void copy('Bug report', bugReportOf(detail, version))}>
          Bug report in Markdown
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
