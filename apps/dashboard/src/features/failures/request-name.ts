import type { TurnDetail } from '@callsmith/contracts';

/** What a request is called: its model, or its route if it was refused before its model was read. */
export const requestName = ({ model, route }: Pick<TurnDetail['turn'], 'model' | 'route'>): string => model || route;
