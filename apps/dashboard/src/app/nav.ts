import type { Me, Role } from '@callsmith/contracts';
import {
  IconAdjustments,
  IconAlertTriangle,
  IconChartBar,
  IconCpu,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListSearch,
  IconPlayerPlay,
  IconServer2,
  IconTool,
  IconUsers,
} from '@tabler/icons-react';
import { linkTo } from '../lib/address.ts';

/** The pages of the dashboard, in order, each with the role that it needs; `period`: it shows a time range, which goes along. */
export const nav = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, needs: 'viewer', period: true },
  { to: '/failures', label: 'Failures', icon: IconAlertTriangle, needs: 'viewer', period: true },
  { to: '/transcripts', label: 'Transcripts', icon: IconListSearch, needs: 'viewer', period: true },
  { to: '/models', label: 'Models', icon: IconCpu, needs: 'viewer', period: false },
  { to: '/playground', label: 'Playground', icon: IconPlayerPlay, needs: 'admin', period: false },
  { to: '/keys', label: 'Keys', icon: IconKey, needs: 'viewer', period: false },
  { to: '/usage', label: 'Usage', icon: IconChartBar, needs: 'viewer', period: true },
  { to: '/upstreams', label: 'Upstreams', icon: IconServer2, needs: 'admin', period: false },
  { to: '/mcp-servers', label: 'MCP servers', icon: IconTool, needs: 'admin', period: false },
  { to: '/teams', label: 'Teams & users', icon: IconUsers, needs: 'admin', period: false },
  { to: '/settings', label: 'Settings', icon: IconAdjustments, needs: 'admin', period: false },
  { to: '/audit', label: 'Audit', icon: IconHistory, needs: 'admin', period: false },
] as const satisfies readonly { to: string; label: string; icon: unknown; needs: Role; period: boolean }[];

/** Where the menu leads: to a screen's default view, if there is one, with the time range in the URL. */
export function linkOfPage(
  me: Pick<Me, 'defaultViews'>,
  where: string,
  period: Readonly<Record<string, string>> = {},
): string {
  const screen = where.slice(1);
  const view = screen === 'failures' || screen === 'transcripts' ? me.defaultViews[screen] : undefined;
  const { range, from, to: until, ...filters } = view ?? {};
  const own = { range, from, to: until };
  return linkTo(where, { ...filters, ...(Object.keys(period).length > 0 ? period : own) });
}
