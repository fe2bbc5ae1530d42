import { expect } from 'chai';
import { parseRotation } from './rotation.js';

describe('the rotation that a phone reports', () => {
  for (const [output, turns] of [
    ['      SurfaceOrientation: 0\n', 0],
    ['SurfaceOrientation: 3', 3],
    ['    Viewport INTERNAL: displayId=0, orientation=1, logicalFrame=[0, 0, 1280, 720]', 1],
    ['    Viewport INTERNAL: displayId=0, orientation=Rotation90, isActive=1', 1],
    ['orientation=Rotation270', 3],
    ['orientation=Rotation0', 0],
    ['orientation=Rotation45', undefined],
    ['', undefined],
    ['orientation=', undefined],
  ] as const) {
    it(`is ${String(turns)} in "${output.trim()}"`, () => {
      expect(parseRotation(output)).to.equal(turns);
    });
  }
});
