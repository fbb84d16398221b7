import { CONFIG, type Config } from '@callsmith/config';
import type { ConfigDifference, ConfigFile, ConfigSection } from '@callsmith/contracts';
import { applyConfigFile, exportConfigFile, WrongConfigFile } from '@callsmith/data/config-file';
import { PrismaService } from '@callsmith/data/database';
import { listMcpServers } from '@callsmith/data/mcp';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { UpstreamWatch } from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import { stringify } from 'yaml';
import { defaultsOf } from '../../config-file/defaults.ts';
import { dialectProblems } from '../../config-file/dialect-problems.ts';
import { McpTools } from '../../mcp/mcp-tools.ts';
import type { Caller } from '../access/caller.ts';

/** Exports the configuration as a file, and applies one. */
@Injectable()
export class ConfigFileService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly watch: UpstreamWatch,
    private readonly mcp: McpTools,
  ) {}

  async show(): Promise<StreamableFile> {
    const text = stringify(await exportConfigFile(this.#place('nobody'), defaultsOf));
    return new StreamableFile(Buffer.from(text), {
      type: 'application/yaml',
      disposition: 'attachment; filename="callsmith.yaml"',
    });
  }

  async apply(
    { config: file, ...options }: { config: ConfigFile; prune: boolean; dryRun: boolean },
    caller: Caller,
  ): Promise<{ differences: ConfigDifference[] }> {
    try {
      const wrong = dialectProblems(file);
      if (wrong.length > 0) throw new WrongConfigFile(wrong);
      const differences = await applyConfigFile(this.#place(caller.actor), file, options);
      if (!options.dryRun) await this.#look(differences);
      return { differences };
    } catch (cause) {
      if (!(cause instanceof WrongConfigFile)) throw cause;
      const fields = cause.problems.map(({ path, message }) => ({ path: `config.${path}`, message }));
      const param = fields[0]?.path;
      throw new Fault('invalid_parameter', cause.message, { ...(param !== undefined && { param }), fields, cause });
    }
  }

  /** Discovers the models of new and changed upstreams, and the tools of MCP servers. */
  async #look(differences: readonly ConfigDifference[]): Promise<void> {
    await this.snapshot.refresh();
    const namesIn = (wanted: ConfigSection) =>
      differences.flatMap(({ section, name }) => (section === wanted ? [name] : []));
    const names = namesIn('upstreams');
    const rows = await this.prisma.upstream.findMany({
      where: { name: { in: names }, removedAt: null, enabled: true },
    });
    await Promise.all(rows.map(({ id }) => this.watch.check(id)));
    await this.snapshot.refresh();
    await this.#lookAtTools(namesIn('mcpServers'));
  }

  async #lookAtTools(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const rows = (await listMcpServers(this.prisma)).filter(({ name }) => names.includes(name));
    for (const { id } of rows) this.mcp.forget(id);
    await Promise.all(rows.filter(({ enabled }) => enabled).map((row) => this.mcp.refresh(row)));
  }

  #place(actor: string) {
    const { secretKey, previousSecretKey } = this.config;
    return { prisma: this.prisma, secretKey, previousSecretKey, by: { actor } };
  }
}
