/** An entry of a timeline, as the API lists it. Only the members that steps are made of are here. */
export interface Entry {
  id: string;
  /** RFC 3339. */
  at: string;
  kind: string;
  key: string;
  request: Readonly<Record<string, unknown>>;
  outcome: string;
  duration_ms: number;
  app: string;
  after?: string;
  changed?: string;
  touched?: readonly TouchedElement[];
  /** How long after the input the screen was still, ms. */
  effect_ms?: number;
  /** How many steps of an `act` that failed were done. Absent: none. */
  steps_done?: number;
}

/** The element that took an event of raw input. */
export interface TouchedElement {
  /** Index in `request.events`. */
  event: number;
  text: string;
  role: string;
}
