export { PostgresRecorder } from './postgres-recorder.ts';
export { recordedPieces } from './storable.ts';
export {
  type CallRecord,
  type RawChoice,
  RECORDER,
  type Recorder,
  type RoundRecord,
  type TimelineEntry,
  type TryRecord,
  type TurnBodyRecord,
  type TurnRecord,
} from './turn-record.ts';
