import type { CounterPlace } from './live-counter.js';
import type { Report } from './report.js';
import type { BenchPhone } from './screen-phone.js';

/** The phone and the figures that both sides are measured with. */
export interface LiveBench {
  phone: BenchPhone;
  edge: { url: string; metrics: { metrics(): Promise<string> } };
  /** URL of our WebSocket, and of the peer's. */
  ours: string;
  theirs: string;
  place: CounterPlace;
  originMs: number;
  report: Report;
}
