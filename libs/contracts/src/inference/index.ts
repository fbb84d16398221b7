export { inferenceOpenapi } from './openapi.ts';
/** @internal Tests check real responses against them. */
export { type InferenceRoute, inferenceRoutes } from './routes.ts';
/** @internal */
export { inferenceSchemas } from './schemas.ts';
