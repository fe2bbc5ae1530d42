// `node --import shifted-clock.js?MS` runs a process whose wall clock is so many milliseconds late or early. It stands for a service that
// starts again some time after its end. Durations are those of the machine.
const shiftMs = Number(new URL(import.meta.url).search.slice(1));
const now = Date.now.bind(Date);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, words: unknown[], made) =>
    Reflect.construct(
      target,
      words.length === 0 ? [now() + shiftMs] : words,
      made === globalThis.Date ? target : made,
    ) as Date,
  apply: () => new RealDate(now() + shiftMs).toString(),
});
globalThis.Date.now = () => now() + shiftMs;
