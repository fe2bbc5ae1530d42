import { expect } from 'chai';
import { type PanelWorld, startPanel } from './panel-world.js';
import { faultsOf } from './public-page.js';

describe('the reference in a browser', function () {
  this.timeout(900_000);
  let panel: PanelWorld;
  before(async () => (panel = await startPanel()));
  after(() => panel.close());

  it('is without findings of axe, and without a request to anywhere else', async () => {
    // Large, so that checking it takes long: each scheme at one width.
    const widths = { light: [1440], dark: [320] };
    const checks = { drawn: 'h5[aria-level]', widths };
    expect(await faultsOf(panel, `${panel.world.mesh.url}/docs/reference/`, checks)).to.deep.equal([]);
  });
});
