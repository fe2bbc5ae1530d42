import { assertScope } from '../../kit/rpc/caller.js';
import { type Layer, matchOf } from '../exchange.js';

/**
 * Whether the caller's scope is enough for the route. Which devices it may see is for the services to say: that rule has one
 * place, where the devices are.
 */
export const authorizeCaller: Layer = (context, next) => {
  const { caller } = context.state;
  if (caller !== undefined) assertScope(caller, matchOf(context).route.scope);
  return next();
};
