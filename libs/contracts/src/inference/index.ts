export { inferenceOpenapi } from './openapi.ts';
export { type InferenceRoute, inferenceRoutes } from './routes.ts';
export { inferenceSchemas } from './schemas.ts';
