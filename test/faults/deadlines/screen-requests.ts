import { integersBelow } from '../../../testing/seeded-random.js';
import type { MadeUpRequest } from '../../rest/made-up-requests.js';

/** Makes requests about a phone's screen, which begin most of the work that goes on beside them. */
export function screenRequests(random: () => number, devices: readonly string[]): () => MadeUpRequest {
  const below = integersBelow(random);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const target = (): unknown =>
    pick<unknown>([
      { text: pick(['Age', 'Notes', 'Settings', 'Save', 'none']) },
      { element: `e${1 + below(12)}` },
      { x: below(720), y: below(1280) },
    ]);
  const direction = (): string => pick(['up', 'down', 'left', 'right']);
  const step = (): Record<string, unknown> => ({
    ...pick<Record<string, unknown>>([
      { tap: target() },
      { tap: target() },
      { long_press: target() },
      { type: { text: 'abc', ...(below(2) === 0 && { element: `e${1 + below(12)}` }) } },
      { type: { text: 'letmein!', secret: true } },
      { swipe: { direction: direction() } },
      { scroll: { direction: direction(), until: { text: 'none' } } },
      { key: { name: pick(['back', 'home', 'enter']) } },
      { open_app: { app: pick(['Notes', 'Settings', 'com.example.none']) } },
      { wait: {} },
    ]),
    ...(below(4) === 0 && { expect: pick<unknown>([{ text: 'Notes' }, { gone: 'none' }, { app: 'none' }]) }),
  });
  const act = (): Record<string, unknown> => ({
    ...(below(3) === 0 ? { steps: Array.from({ length: 1 + below(4) }, step) } : step()),
    observe: pick(['none', 'elements', 'full']),
    elements: pick(['full', 'compact', 'changed']),
    settle_ms: below(200),
    timeout_ms: 100 + below(400),
  });
  const ofDevice = (method: string, path: string, operation: string, query = '', body?: unknown): MadeUpRequest => ({
    operation,
    template: `/v1/devices/{name}/${path}`,
    method,
    path: `/v1/devices/${pick(devices)}/${path}${query}`,
    headers: {},
    needsSession: false,
    ...(body !== undefined && { body }),
  });
  return () =>
    pick([
      () => ofDevice('POST', 'act', 'act', '', act()),
      () => ofDevice('POST', 'act', 'act', '', act()),
      () => ofDevice('POST', 'act', 'act', '', act()),
      () => ofDevice('GET', 'observe', 'observe', `?screenshot=${pick(['none', 'jpeg', 'png'])}&elements=compact`),
      () => ofDevice('GET', 'screenshot', 'takeScreenshot', `?format=${pick(['png', 'jpeg'])}`),
      () => ofDevice('POST', 'action', 'runAction', '', { find_text: { text: 'Notes' } }),
      () => ofDevice('POST', 'input', 'sendInput', '', { events: [{ touch: { phase: 'down', x: 5, y: 900 } }, { wait: { ms: 20 } }, { touch: { phase: 'up', x: 5, y: 900 } }] }), // prettier-ignore
      () => ofDevice('GET', 'logs', 'readLogs', '?lines=50'),
    ])();
}
