const MINUTE_MS = 60_000;

/** Independent of the service's code and much simpler: the sum that an account must have paid, computed minute by minute. */
export class BillModel {
  balanceMicros = 0;
  /** `<phone> <minute>` of all minutes paid or given. */
  readonly minutes = new Set<string>();
  readonly months = new Set<string>();
  trialMinutes = 0;
  /** The phone on trial. */
  trialPhone: string | undefined;
  readonly #outages: { fromMs: number; toMs: number }[] = [];
  readonly #runs = new Map<string, { startedMs: number; paidThrough: number }>();

  credit(micros: number): void {
    this.balanceMicros += micros;
  }

  /** Pays a month of a device; returns whether it could. */
  month(phone: string, month: number): boolean {
    if (this.months.has(`${phone} ${month}`)) return true;
    if (this.balanceMicros < 12_000_000) return false;
    this.balanceMicros -= 12_000_000;
    this.months.add(`${phone} ${month}`);
    return true;
  }

  runStart(phone: string): number | undefined {
    return this.#runs.get(phone)?.startedMs;
  }

  begin(phone: string, startedMs: number): void {
    this.#runs.set(phone, { startedMs, paidThrough: 0 });
  }

  end(phone: string, endMs: number): void {
    this.payThrough(phone, endMs);
    this.#runs.delete(phone);
  }

  /** A time in which nobody could stop a phone: minutes that begin in it are free. */
  outage(fromMs: number, toMs: number): void {
    this.#outages.push({ fromMs, toMs });
  }

  /** Pays the run's minutes up to the one of `nowMs`, not more than an hour of them. Returns whether all could be paid. */
  payThrough(phone: string, nowMs: number): boolean {
    const run = this.#runs.get(phone);
    if (run === undefined) return true;
    const last = Math.floor(nowMs / MINUTE_MS);
    const first = Math.max(Math.floor(run.startedMs / MINUTE_MS), run.paidThrough + 1, last - 59);
    for (let minute = first; minute <= last; minute++) {
      const name = `${phone} ${minute}`;
      const beginMs = Math.max(minute * MINUTE_MS, run.startedMs);
      const isFree = this.#outages.some(({ fromMs, toMs }) => beginMs >= fromMs && beginMs < toMs);
      if (!isFree && !this.minutes.has(name)) {
        if (this.trialPhone === phone && this.trialMinutes < 30) this.trialMinutes++;
        else if (this.balanceMicros >= 4_000) this.balanceMicros -= 4_000;
        else return false;
        this.minutes.add(name);
      }
      run.paidThrough = minute;
    }
    return true;
  }

  /** All running phones. */
  get running(): string[] {
    return [...this.#runs.keys()];
  }
}
