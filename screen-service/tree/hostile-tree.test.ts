import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { between } from '../testing/between.js';
import { elementsOf, type ScreenContent } from './elements.js';
import { keepIds } from './keep-ids.js';
import { parseDump } from './parse-dump.js';

const SCREEN = { width: 720, height: 1280 };
const BETWEEN = between({ passedMs: 1_000, own: { typed: ['a'], pressed: [], strokes: [] }, acted: true });

const page = (nodes: string): ScreenContent =>
  elementsOf(
    parseDump(`<hierarchy><node class="Page" package="a" bounds="[0,0][720,1280]">${nodes}</node></hierarchy>`),
    SCREEN,
  );
const list = (nodes: string): ScreenContent =>
  page(`<node class="List" package="a" scrollable="true" bounds="[0,0][720,1280]">${nodes}</node>`);
const repeat = (count: number, node: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => node(at)).join('');

describe('a tree that is made to be slow', () => {
  /** Expects the work to end in ten times the time that it takes; without bounds it would take minutes. */
  const quickly = async (work: () => unknown): Promise<void> => {
    expect(await processorMs(work)).to.be.below(5_000);
  };

  it('of a row with thousands of equal texts is compared quickly', async () => {
    const row = (count: number): ScreenContent =>
      list(
        `<node class="Row" package="a" clickable="true" bounds="[0,200][720,600]">` +
          `${repeat(count, () => '<node class="Text" package="a" text="Buy" bounds="[0,200][100,300]"/>')}</node>`,
      );
    await quickly(() => keepIds(row(4_001), { content: row(4_000), between: BETWEEN }, 1));
  });

  it('of thousands of siblings that cover each other is read quickly', async () => {
    const button = (at: number): string =>
      `<node package="a" clickable="true" text="b" drawing-order="${at}" bounds="[${at % 700},300][${(at % 700) + 9},320]"/>`;
    await quickly(() => page(repeat(15_000, button)));
  });

  it('of long texts beside each other is compared in little memory', async () => {
    const texts = (first: string): ScreenContent =>
      list(
        first +
          repeat(
            280,
            (at) =>
              `<node class="Text" package="a" text="${at}${'x'.repeat(20_000)}" bounds="[${at * 2},300][${at * 2 + 2},320]"/>`,
          ),
      );
    const [before, now] = [texts('<node class="Text" package="a" text="y" bounds="[0,100][9,120]"/>'), texts('')];
    const usedBytes = process.memoryUsage().heapUsed;
    await quickly(() => keepIds(now, { content: before, between: BETWEEN }, 1));
    expect(process.memoryUsage().heapUsed - usedBytes).to.be.below(300 * 1024 * 1024);
  });
});
