export { inferenceOpenapi } from './openapi.ts';
/** @internal Tests hold real answers against them. */
export { type InferenceRoute, inferenceRoutes } from './routes.ts';
/** @internal */
export { inferenceSchemas } from './schemas.ts';
