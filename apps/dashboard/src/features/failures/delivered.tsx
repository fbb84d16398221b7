import css from './lanes.module.css';

/** One choice of what was delivered. */
export interface DeliveredChoice {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
    readonly whole: boolean;
  }[];
  readonly reason?: string;
}

/** The response as the client received it: text, and calls with their arguments to the byte. */
export function Delivered({ value }: { value: unknown }) {
  if (value === null || value === undefined)
    return <span className={css.quiet}>none: the request ended in an error</span>;
  if (!isChoices(value)) return JSON.stringify(value, null, 2);
  if (value.length === 0) return <span className={css.quiet}>none</span>;
  return value.map((choice, n) => (
    <div key={String(n)} className={css.part}>
      {choice.reasoning && <div className={`${css.part} ${css.quiet}`}>{choice.reasoning}</div>}
      {choice.text && <div className={css.part}>{choice.text}</div>}
      {choice.calls.filter(Boolean).map((call) => (
        <div key={call.id} className={css.part}>
          <span className={css.call}>{call.name}</span>
          {call.arguments}
          {!call.whole && <span className={css.rule}>truncated here</span>}
        </div>
      ))}
      <div className={`${css.part} ${css.quiet}`}>finish_reason: {choice.reason ?? 'none'}</div>
    </div>
  ));
}

/** Whether what was delivered is choices, not an answer of another kind such as embeddings. */
export const isChoices = (value: unknown): value is DeliveredChoice[] =>
  Array.isArray(value) &&
  value.every((one: unknown) => typeof one === 'object' && one !== null && 'calls' in one && Array.isArray(one.calls));
