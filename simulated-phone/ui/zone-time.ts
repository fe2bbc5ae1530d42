/** Formats hours and minutes in a time zone, `16:05`. One formatter for each zone is kept, as making one costs more than a frame. */
export class ZoneTime {
  readonly #formats = new Map<string, Intl.DateTimeFormat>();

  hours(wallMs: number, timeZone: string): string {
    return this.#format(`hours ${timeZone}`, timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
      wallMs,
    );
  }

  /** Returns a date such as `Friday, November 20`. */
  date(wallMs: number, timeZone: string): string {
    const parts = { weekday: 'long', month: 'long', day: 'numeric' } as const;
    return this.#format(`date ${timeZone}`, timeZone, parts).format(wallMs);
  }

  #format(key: string, timeZone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    let format = this.#formats.get(key);
    if (!format) {
      format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: known(timeZone) });
      this.#formats.set(key, format);
    }
    return format;
  }
}

/** Returns the zone, or UTC for one that this Node does not know, as it must not take the phone down. */
function known(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
}
