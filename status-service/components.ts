/** The checked parts, in the order of the page. The ids are in `/status.json` and in the history. */
export const components = [
  { id: 'api', name: 'REST API', about: 'Every request under /v1.' },
  { id: 'live', name: 'Live screens', about: 'The gateway that live screens are watched through.' },
  { id: 'adb', name: 'ADB', about: 'The gateway that adb connects to.' },
] as const;

export type ComponentId = (typeof components)[number]['id'];
