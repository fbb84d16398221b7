import { CONFIG, type Config } from '@callsmith/config';
import { type McpServer, type McpServerChange, mcpAuthProblem, type NewMcpServer } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import {
  acceptTools,
  findMcpServer,
  insertMcpServer,
  listMcpServers,
  type McpServerDetail,
  mcpCallsSince,
  mcpServerIsNamed,
  removeMcpServer,
  setGrants,
  syncFileServers,
  updateMcpServer,
} from '@callsmith/data/mcp';
import { checkOutboundUrl, RefusedAddress, sealedCredential } from '@callsmith/data/upstreams';
import { readServersFile } from '@callsmith/mcp';
import { Fault, type JsonObject } from '@callsmith/turn';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { McpTools } from '../../mcp/mcp-tools.ts';
import type { Caller } from '../access/caller.ts';
import { fieldFault, nameTaken } from '../field-fault.ts';
import { refuseManaged } from '../managed.ts';
import { mcpServerView } from './mcp-server-view.ts';

/**
 * MCP servers, their tools and who may use them. Only admins set their addresses; programs come from the host's file.
 */
@Injectable()
export class McpServersService implements OnApplicationBootstrap {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly tools: McpTools,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { configFile, mcpServersFile } = this.config;
    if (mcpServersFile !== undefined)
      await syncFileServers(this.prisma, [...(await readServersFile(mcpServersFile)).keys()]);
    if (mcpServersFile === undefined && configFile === undefined) return;
    // Not awaited, because servers may be slow; a manual refresh shows errors.
    for (const row of await listMcpServers(this.prisma))
      if (row.enabled && (row.origin === 'file' || row.managedBy === 'file'))
        void this.tools.refresh(row).catch(() => {});
  }

  async list(): Promise<{ items: McpServer[] }> {
    const [rows, calls] = await Promise.all([listMcpServers(this.prisma), this.#calls()]);
    return { items: rows.map((row) => mcpServerView(row, calls)) };
  }

  async create({ credential, url, ...rest }: NewMcpServer, { actor }: Caller): Promise<McpServer> {
    await this.#refuseTaken(rest.name);
    checkAuth({ ...rest, hasCredential: Boolean(credential) });
    const sealed = sealedCredential(this.config.secretKey, credential);
    const data = { ...rest, id: newId('mcp'), url: checkedUrl(url), ...sealed };
    return this.#viewOf(await this.tools.refresh(await insertMcpServer(this.prisma, { actor }, data)));
  }

  async change(id: string, { credential, url, ...rest }: McpServerChange, { actor }: Caller): Promise<McpServer> {
    const before = await this.#find(id);
    refuseManaged(before, 'This MCP server');
    const changed = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    if (before.origin === 'file' && Object.keys({ ...changed, ...(url && { url }) }).some((name) => !ofFile.has(name)))
      throw new Fault('conflict', 'This server is set by MCP_SERVERS_FILE; change it there.');
    if (rest.name !== undefined) await this.#refuseTaken(rest.name, id);
    const moved = url !== undefined && checkedUrl(url) !== before.url;
    const reissued = rest.authIssuer !== undefined && rest.authIssuer !== before.authIssuer;
    if ((moved || reissued) && credential === undefined && before.credential !== null)
      throw fieldFault(
        { path: 'credential', message: 'must be entered again because the address changes (null for none)' },
        { code: 'missing_parameter' },
      );
    const hasCredential = credential === undefined ? before.credential !== null : Boolean(credential);
    checkAuth({
      auth: rest.auth ?? before.auth,
      authName: rest.authName ?? before.authName,
      authIssuer: rest.authIssuer ?? before.authIssuer,
      hasCredential,
    });
    const data = {
      ...changed,
      ...(url !== undefined && { url: checkedUrl(url) }),
      ...(credential !== undefined && sealedCredential(this.config.secretKey, credential)),
    };
    const row = await updateMcpServer(this.prisma, { actor }, { id, data });
    this.tools.forget(id);
    return this.#viewOf(row.enabled ? await this.tools.refresh(row) : row);
  }

  async remove(id: string, { actor }: Caller): Promise<Record<string, never>> {
    const row = await this.#find(id);
    refuseManaged(row, 'This MCP server');
    if (row.origin === 'file') throw new Fault('conflict', 'This server is set by MCP_SERVERS_FILE; remove it there.');
    await removeMcpServer(this.prisma, { actor }, id);
    this.tools.forget(id);
    return {};
  }

  async refresh(id: string): Promise<McpServer> {
    return this.#viewOf(await this.tools.refresh(await this.#find(id)));
  }

  async accept(id: string, names: readonly string[], { actor }: Caller): Promise<McpServer> {
    toolsNamed(await this.#find(id), names);
    const row = await acceptTools(this.prisma, { actor }, { id, names });
    this.tools.forget(id);
    return this.#viewOf(row);
  }

  async grant(
    id: string,
    { teamId, tools: names }: { readonly teamId: string; readonly tools: readonly string[] },
    { actor }: Caller,
  ): Promise<McpServer> {
    const row = await this.#find(id);
    if ((await this.prisma.team.count({ where: { id: teamId } })) === 0)
      throw new Fault('not_found', 'Team not found.');
    const toolIds = toolsNamed(row, names).map((tool) => tool.id);
    await setGrants(this.prisma, { actor }, { serverId: id, teamId, toolIds });
    this.tools.forget(id);
    return this.#viewOf(await this.#find(id));
  }

  async call(id: string, { tool, arguments: args }: { readonly tool: string; readonly arguments: object }) {
    const row = await this.#find(id);
    toolsNamed(row, [tool]);
    const begun = performance.now();
    const result = await this.tools.try(row, tool, args as JsonObject);
    return { ...result, tookMs: Math.round(performance.now() - begun) };
  }

  async #viewOf(row: McpServerDetail): Promise<McpServer> {
    return mcpServerView(row, await this.#calls());
  }

  #calls() {
    return mcpCallsSince(this.prisma, new Date(Date.now() - shownMs));
  }

  async #find(id: string): Promise<McpServerDetail> {
    const row = await findMcpServer(this.prisma, id);
    if (!row) throw new Fault('not_found', 'MCP server not found.');
    return row;
  }

  async #refuseTaken(name: string, except?: string): Promise<void> {
    if (await mcpServerIsNamed(this.prisma, name, except)) throw nameTaken('an MCP server', name);
  }
}

/** Period over which calls are counted. */
const shownMs = 7 * 86_400_000;

/** The fields that may be changed of a server from the host's file. */
const ofFile = new Set(['timeoutMs', 'callsPerMinute', 'concurrentCalls', 'enabled']);

function checkedUrl(text: string, path = 'url'): string {
  try {
    return checkOutboundUrl(text).href;
  } catch (cause) {
    if (!(cause instanceof RefusedAddress)) throw cause;
    const fields = [{ path, message: cause.message }];
    throw new Fault('upstream_address_refused', `${path}: ${cause.message}`, { param: path, fields, cause });
  }
}

function checkAuth(auth: Parameters<typeof mcpAuthProblem>[0]): void {
  const problem = mcpAuthProblem(auth);
  if (problem) throw fieldFault(problem);
  if (auth.auth === 'oauth' && auth.authIssuer !== null) checkedUrl(auth.authIssuer, 'authIssuer');
}

/** The tools of these names. Throws for one that the server never had. */
function toolsNamed({ tools }: McpServerDetail, names: readonly string[]) {
  return names.map((name, at) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined)
      throw fieldFault({
        path: `tools[${at}]`,
        message: `is "${name.slice(0, 100)}", which the server does not offer`,
      });
    return tool;
  });
}
