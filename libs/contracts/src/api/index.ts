import { budgets } from './budgets.ts';
import { config } from './config.ts';
import { connect } from './connect.ts';
import { experiments } from './experiments.ts';
import { exports } from './exports.ts';
import { installation } from './installation.ts';
import { keys } from './keys.ts';
import { mcpServers } from './mcp-servers.ts';
import { models } from './models.ts';
import { playground } from './playground.ts';
import { probes } from './probes.ts';
import { redaction } from './redaction.ts';
import { replays } from './replays.ts';
import { savedViews } from './saved-views.ts';
import { session } from './session.ts';
import { stats } from './stats.ts';
import { teams, users } from './teams.ts';
import { trials } from './trials.ts';
import { turns } from './turns.ts';
import { upstreams } from './upstreams.ts';
import { webhooks } from './webhooks.ts';

/** The whole admin API, by area. */
export const api = {
  session,
  keys,
  connect,
  budgets,
  teams,
  users,
  upstreams,
  mcpServers,
  models,
  trials,
  probes,
  experiments,
  turns,
  replays,
  playground,
  savedViews,
  exports,
  stats,
  webhooks,
  redaction,
  installation,
  config,
};
