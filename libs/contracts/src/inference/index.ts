export { response, responseEvent } from './responses.ts';
