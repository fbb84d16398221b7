import type { Role } from '@callsmith/contracts';
import {
  IconAdjustments,
  IconAlertTriangle,
  IconChartBar,
  IconCpu,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListSearch,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react';

/** The pages of the dashboard, in order, each with the role that it needs. */
export const nav = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, needs: 'viewer' },
  { to: '/failures', label: 'Failures', icon: IconAlertTriangle, needs: 'viewer' },
  { to: '/transcripts', label: 'Transcripts', icon: IconListSearch, needs: 'viewer' },
  { to: '/models', label: 'Models', icon: IconCpu, needs: 'viewer' },
  { to: '/keys', label: 'Keys', icon: IconKey, needs: 'viewer' },
  { to: '/usage', label: 'Usage', icon: IconChartBar, needs: 'viewer' },
  { to: '/upstreams', label: 'Upstreams', icon: IconServer2, needs: 'admin' },
  { to: '/teams', label: 'Teams & users', icon: IconUsers, needs: 'admin' },
  { to: '/settings', label: 'Settings', icon: IconAdjustments, needs: 'admin' },
  { to: '/audit', label: 'Audit', icon: IconHistory, needs: 'admin' },
] as const satisfies readonly { to: string; label: string; icon: unknown; needs: Role }[];
