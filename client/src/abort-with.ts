const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * Aborts `controller` when `signal` aborts. Returns a function that ends this link.
 *
 * A caller's signal may live as long as its program. With AbortSignal.any, Node would keep every combined signal that has a listener. With
 * a listener for each controller, Node would warn above ten. So each signal gets one listener for all its controllers, and ending a link
 * removes its controller.
 */
export function abortWith(controller: AbortController, signal: AbortSignal): () => void {
  if (signal.aborted) controller.abort(signal.reason);
  const controllers = followers.get(signal) ?? follow(signal);
  controllers.add(controller);
  return () => void controllers.delete(controller);
}

function follow(signal: AbortSignal): Set<AbortController> {
  const controllers = new Set<AbortController>();
  signal.addEventListener('abort', () => {
    for (const controller of controllers) controller.abort(signal.reason);
  });
  followers.set(signal, controllers);
  return controllers;
}
