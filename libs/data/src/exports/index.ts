export { csvRow } from './csv.ts';
export { fileOfTurns } from './file-of-turns.ts';
export {
  exportedFile,
  failExport,
  findExport,
  insertExport,
  listExports,
  removeExport,
  type TurnExportRow,
  writeExport,
} from './turn-exports.ts';
export { turnView } from './turn-view.ts';
