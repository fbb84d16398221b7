export { TranscriptsPage as Component } from '../features/failures/transcripts-page.tsx';
