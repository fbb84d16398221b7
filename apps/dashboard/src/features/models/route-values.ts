/** One upstream of a model as it is typed; an empty name there is the model's own. */
export interface RouteValues {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  readonly weight: number | string;
}

/** Routes as the API takes them. */
export const routesOf = (routes: readonly RouteValues[]) =>
  routes.map(({ upstreamId, upstreamModel, weight }) => ({
    upstreamId,
    ...(upstreamModel.trim() !== '' && { upstreamModel }),
    weight: Number(weight),
  }));
