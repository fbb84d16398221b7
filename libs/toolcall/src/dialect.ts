import type { PastCall, Tool, ToolChoice, ToolTable } from '@callsmith/turn';

/** A tool result as the model is to see it. */
export interface PastResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

/** Where an opener counts (D-9): anywhere in the text, at a line's start, or at the answer's start. */
export interface Opener {
  readonly word: string;
  readonly at: 'anywhere' | 'line' | 'answer';
}

/** How an engine can be held to this dialect when a call begins. */
export interface Fence {
  readonly trigger: string;
  readonly begin: string;
  readonly end: string;
}
