import type { JsonObject } from '@callsmith/turn';
import type { Answer } from './answer.ts';
import { fillArguments, propertiesOf } from './arguments.ts';
import type { Conversation } from './conversation.ts';
import { listedCall } from './listed-values.ts';
import type { OfferedTool } from './offered-tool.ts';
import { type Plan, plan, type Step } from './plan.ts';
import { describe, type Progress, progressOf } from './progress.ts';
import { firstLines, proseAnswer } from './prose.ts';
import { toolFor } from './roles.ts';
import { smallToolCalls } from './small-tools.ts';
import { baseIntent, callFor } from './step-call.ts';

/** What a request allows. */
export interface Allowed {
  readonly tools: readonly OfferedTool[];
  readonly parallel: boolean;
  /** `auto`, `none`, `required`, or the tool that must be called. */
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string };
}

/** Decides the next response: the next calls for the request, or text about the results. */
export function decide(conversation: Conversation, allowed: Allowed): Answer {
  const tools = allowed.choice === 'none' ? [] : allowed.tools;
  const wanted = plan(conversation.task);
  if (typeof allowed.choice === 'object') return forced(conversation, tools, allowed.choice.name, wanted);
  const listed = listedCall(conversation, tools);
  if (listed !== undefined) return { reasoning: `I should call ${listed.name}.`, text: '', calls: [listed] };
  const answer =
    wanted.steps.length > 0 && tools.length > 0 ? work(conversation, tools, wanted, allowed.parallel) : undefined;
  if (answer !== undefined) return answer;
  const small = smallToolCalls(conversation, tools, allowed.parallel);
  if (small.length > 0)
    return { reasoning: `I should call ${small[0]?.name}.`, text: `I will ask ${small[0]?.name}.`, calls: small };
  const first = tools[0];
  if (allowed.choice === 'required' && first !== undefined) return forced(conversation, tools, first.name, wanted);
  return finish(conversation, tools, proseAnswer(conversation, wanted));
}

function forced(conversation: Conversation, tools: readonly OfferedTool[], name: string, wanted: Plan): Answer {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return { reasoning: '', text: proseAnswer(conversation, wanted), calls: [] };
  const step = wanted.steps[0];
  const call = step === undefined ? undefined : callFor(step, [tool], conversation);
  const calls =
    call === undefined ? [{ name, arguments: fillArguments(tool.schema, baseIntent(conversation)) }] : [call];
  return { reasoning: `I must call ${name}.`, text: '', calls };
}

function work(
  conversation: Conversation,
  tools: readonly OfferedTool[],
  wanted: Plan,
  parallel: boolean,
): Answer | undefined {
  const progress = progressOf(wanted.steps, conversation.exchanges);
  const open = progress.filter((each) => each.state === 'open');
  const first = open[0];
  if (first === undefined) return finish(conversation, tools, report(progress));
  const together = wanted.parallel && parallel ? open.filter((each) => each.step.kind === first.step.kind) : [first];
  const calls = together.flatMap((each) => callFor(withCopy(each.step, progress), tools, conversation) ?? []);
  if (calls.length === 0) return undefined;
  return {
    reasoning: `The user wants: ${conversation.task.slice(0, 120)}\nNext: ${together.map((each) => describe(each.step)).join(', ')}.`,
    text: `I will ${together.map((each) => describe(each.step)).join(' and ')}.`,
    calls,
  };
}

function withCopy(step: Step, progress: readonly Progress[]): Step {
  if (step.kind !== 'write' || step.copyOf === undefined) return step;
  const source = progress.find((each) => each.step.kind === 'read' && each.step.path === step.copyOf);
  return { ...step, content: source?.result ?? '' };
}

function report(progress: readonly Progress[]): string {
  const lines = progress.map(({ step, state, result }) => {
    if (state === 'failed') return `I could not ${describe(step)}: ${firstLines(result)}`;
    if (step.kind === 'write') return step.append ? `I added to ${step.path}.` : `I wrote ${step.path}.`;
    return step.kind === 'run'
      ? `\`${step.command}\` said: ${firstLines(result)}`
      : `${step.path} says: ${firstLines(result)}`;
  });
  return `${lines.slice(0, 8).join('\n')}\nI am done.`;
}

/** Text is sent as it is, or through the client's tool for ending a task. */
function finish(conversation: Conversation, tools: readonly OfferedTool[], text: string): Answer {
  const tool = toolFor('finish', tools);
  const reasoning = conversation.exchanges.length > 0 ? 'That was the last step.' : '';
  if (tool === undefined || conversation.exchanges.some((exchange) => exchange.call.includes(tool.name)))
    return { reasoning, text, calls: [] };
  const args: JsonObject = fillArguments(tool.schema, { ...baseIntent(conversation), purpose: text, strings: [text] });
  const [result] = propertiesOf(tool.schema).map(([name]) => name);
  return {
    reasoning,
    text: '',
    calls: [{ name: tool.name, arguments: result === undefined ? args : { ...args, [result]: text } }],
  };
}
