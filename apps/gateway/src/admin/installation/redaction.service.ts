import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import {
  BUILT_IN_SECRETS,
  MOST_OWN_SECRETS,
  OWN_SECRETS_NAME,
  type OwnSecret,
  ownSecretsOf,
  redactWith,
} from '@callsmith/data/redaction';
import { editSetting, readSetting } from '@callsmith/data/settings';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { fieldFault } from '../field-fault.ts';

type Given = Omit<OwnSecret, 'id'>;

/** What is masked in everything stored of requests. */
@Injectable()
export class RedactionService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  async show(): Promise<{ builtIn: string[]; own: OwnSecret[]; most: number }> {
    const own = ownSecretsOf(await readSetting(this.prisma, OWN_SECRETS_NAME));
    return { builtIn: [...BUILT_IN_SECRETS], own, most: MOST_OWN_SECRETS };
  }

  async add(request: Given, caller: Caller): Promise<OwnSecret> {
    const added = secretOf(request);
    await this.#edit(caller, (own) => {
      if (own.length >= MOST_OWN_SECRETS)
        throw fieldFault({ path: 'name', message: `is over the limit of ${MOST_OWN_SECRETS} patterns` });
      const twin = own.find(({ begins, follows }) => begins === added.begins && follows === added.follows);
      if (twin) throw fieldFault({ path: 'begins', message: `is already masked by ${twin.name}` });
      return [...own, added];
    });
    return added;
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    await this.#edit(caller, (own) => {
      if (!own.some((secret) => secret.id === id)) throw new Fault('not_found', 'Pattern not found.');
      return own.filter((secret) => secret.id !== id);
    });
    return {};
  }

  async try({ text, pattern }: { text: string; pattern?: Given | undefined }): Promise<{ masked: string }> {
    const { own } = await this.show();
    return { masked: redactWith(text, pattern ? [...own, secretOf(pattern)] : own) };
  }

  async #edit(caller: Caller, edit: (own: OwnSecret[]) => OwnSecret[]): Promise<void> {
    await editSetting(this.prisma, { actor: caller.actor }, OWN_SECRETS_NAME, (before) => ({
      own: edit(ownSecretsOf(before)).map((secret) => ({ ...secret })),
    }));
    await this.snapshot.refresh();
  }
}

const secretOf = ({ name, begins, follows, atLeast }: Given): OwnSecret => ({
  id: newId('mask'),
  name,
  begins,
  follows,
  atLeast: follows === 'nothing' ? 0 : atLeast,
});
