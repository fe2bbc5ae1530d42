import { expect } from 'chai';
import { parseForeground, parseSecureWindow } from '../../phone/screen/windows.js';
import { processorMs } from '../../testing/processor-time.js';
import { parseRotation } from './rotation.js';

describe('what a phone reports of its windows and its display', () => {
  for (const [what, text] of [
    ['empty lines', '\n'.repeat(100_000)],
    ['lines that end half', ' \r'.repeat(60_000)],
    ['focused windows', 'mCurrentFocus=Window{'.repeat(10_000)],
    ['focused apps', 'mFocusedApp='.repeat(20_000)],
    ['orientations', 'orientation'.repeat(20_000)],
  ] as const) {
    it(`is read in linear time where it is nothing but ${what}`, async () => {
      const usedMs = await processorMs(() => {
        expect(parseForeground(text)).to.include({ app: '', activity: '' });
        expect(parseSecureWindow(`mCurrentFocus=Window{1 x}${text}`)).to.equal(undefined);
        expect(parseRotation(text)).to.equal(undefined);
      });
      expect(usedMs).to.be.below(2_000);
    });
  }
});
