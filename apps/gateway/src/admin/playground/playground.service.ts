import { type api, type HandlerInput, mostColumns } from '@callsmith/contracts';
import { writeAudit } from '@callsmith/data/audit-log';
import { PrismaService } from '@callsmith/data/database';
import { shownTurnId, turnUuid } from '@callsmith/data/ids';
import { type ModelEntry, PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { bodyOf, findTurn } from '@callsmith/data/turns';
import { Fault } from '@callsmith/turn';
import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import type { ClientlessRequest } from '../../proxy/replay/send-without-client.ts';
import { sendWatched } from '../../proxy/replay/watched-request.ts';
import { withSettings } from '../../proxy/replay/with-settings.ts';
import { ProxyService } from '../../proxy/request/proxy.service.ts';
import { type Caller, confinedTo } from '../access/caller.ts';
import { fieldFault } from '../field-fault.ts';
import { refuseUnknownDialect } from '../models/known-dialect.ts';
import { type ColumnRun, columnStream } from './column-stream.ts';

type Asked = HandlerInput<typeof api.playground.run>['body'];
/** A request as it is sent in each column. */
type Sent = Pick<ClientlessRequest, 'route' | 'keyId'> & { readonly bodyFor: (model: ModelEntry) => string };

/** Maximum columns that run concurrently in one gateway: those of four users with the maximum each. */
const MOST_RUNNING = 4 * mostColumns;
/** Maximum total time of a response: a client would disconnect sooner or later. */
const MAX_WAIT_MS = 300_000;
/** A body of this length was not stored completely, and cannot be sent again. */
const WHOLE = 1024 * 1024;

/** Requests that admins send to see how models respond: they belong to no key, and are not recorded. */
@Injectable()
export class PlaygroundService {
  readonly #logger = new Logger('playground');
  #running = 0;

  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly proxy: ProxyService,
  ) {}

  /** Server-sent events of all columns; disconnecting ends them. */
  async run({ columns, request, turn }: Asked, caller: Caller): Promise<StreamableFile> {
    const models = columns.map((column, n) => this.#model(column, n));
    if (this.#running + columns.length > MOST_RUNNING)
      throw new Fault('rate_limit_exceeded', 'The playground is busy: wait until other runs have ended.');
    this.#running += columns.length;
    try {
      const sent = await this.#sent({ request, turn }, columns, caller);
      return new StreamableFile(columnStream(models.map((model) => (run) => this.#send(sent, model, run))), {
        type: 'text/event-stream; charset=utf-8',
      });
    } catch (error) {
      this.#running -= columns.length;
      throw error;
    }
  }

  async #send({ route, keyId, bodyFor }: Sent, model: ModelEntry, { emit, flow, signal }: ColumnRun): Promise<void> {
    const { proxy } = this;
    try {
      await sendWatched(
        { request: bodyFor(model), route, keyId, model, maxWaitMs: MAX_WAIT_MS },
        { emit, flow, reportError: (error) => this.#logger.error(error) },
        { proxy, signal },
      );
    } finally {
      this.#running--;
    }
  }

  #model({ model: id, strategy, dialect }: Asked['columns'][number], n: number): ModelEntry {
    const model = this.snapshot.models().find((one) => one.id === id);
    if (!model)
      throw fieldFault(
        { path: `columns[${n}].model`, message: `there is no model "${id.slice(0, 200)}"` },
        { code: 'model_not_found' },
      );
    refuseUnknownDialect(dialect, `columns[${n}].dialect`);
    return withSettings(model, { strategy, dialect: dialect ?? model.dialect.value });
  }

  /** The request to send; sending is audited, and so is reading a stored body for it (security 19). */
  async #sent({ request, turn: id }: Omit<Asked, 'columns'>, columns: Asked['columns'], caller: Caller): Promise<Sent> {
    if ((request === undefined) === (id === undefined))
      throw fieldFault({
        path: 'request',
        message: 'must contain either a request or the ID of a recorded one (turn), not both',
      });
    const by = { actor: caller.actor };
    if (request !== undefined) {
      await writeAudit(this.prisma, by, {
        action: 'playground.run',
        targetKind: 'playground',
        targetId: 'playground',
        after: { columns },
      });
      const bodyFor = ({ name }: ModelEntry) => JSON.stringify({ ...request, model: name, stream: true });
      return { route: '/v1/chat/completions', keyId: '', bodyFor };
    }
    const uuid = turnUuid(id ?? '');
    const turn = uuid && (await findTurn(this.prisma, uuid, confinedTo(caller)));
    if (!turn)
      throw new Fault('not_found', 'Not found; it may have been deleted after the retention period.', {
        param: 'turn',
      });
    const stored = turn.stored ? (await bodyOf(this.prisma, turn.id))?.clientRequest : undefined;
    if (!stored) throw new Fault('conflict', 'This request is not stored, so it cannot be run again.');
    if (stored.length > WHOLE)
      throw new Fault('conflict', 'This request was too long to be stored whole, so it cannot be run again.');
    await writeAudit(this.prisma, by, {
      action: 'turn.rerun',
      targetKind: 'turn',
      targetId: shownTurnId(turn.id),
      teamId: turn.teamId,
      after: { columns },
    });
    return { route: turn.route, keyId: turn.keyId ?? '', bodyFor: () => stored };
  }
}
