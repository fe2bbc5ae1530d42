import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const FIXTURE = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v1.apk', import.meta.url));

const TEMPLATE = {
  ...{ id: 'tpl_1m7x2vye5t4vyenbj210hep75', name: 'golden', model: 'phone-720p', android: '14', size: 48_213_000 },
  ...{ created_at: '2026-11-20T17:00:00.000Z', state: 'ready' },
};
const APP = {
  ...{ name: 'shop', package: 'com.example.shop', version: '4.2', size: 31_457_280, sha256: '9f86d081' },
  uploaded_at: '2026-11-20T17:00:00.000Z',
};

// The service's answers are written here, so these tests are about the pages alone: what they show and send.
describeInBrowser('templates and the app library in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());

  /** Opens a page whose templates and apps are these, and which keeps the requests that change something. */
  async function openWith({ templates, apps }: { templates: object[]; apps: object[] }) {
    const opened = await panel.open();
    const sent: { method: string; path: string; body: string }[] = [];
    const answer = (list: object, one: object) => async (route: Route) => {
      const request = route.request();
      const { pathname } = new URL(request.url());
      if (request.method() === 'GET') return route.fulfill({ json: list });
      sent.push({ method: request.method(), path: pathname, body: request.postData() ?? '' });
      return request.method() === 'DELETE' ? route.fulfill({ status: 204 }) : route.fulfill({ json: one });
    };
    await opened.page.route('**/v1/templates**', answer({ templates }, {}));
    await opened.page.route('**/v1/library/apps**', answer({ apps }, { app: APP }));
    await opened.page.route('**/v1/devices/demo/apps', (route) =>
      route.request().method() === 'POST'
        ? (sent.push({ method: 'POST', path: 'apps', body: route.request().postData() ?? '' }),
          route.fulfill({ status: 400, json: { error: 'bad_request', message: 'The app is not there.' } }))
        : route.continue(),
    );
    return { ...opened, sent };
  }

  it('list templates, delete one, and make a phone from one', async () => {
    const { page, context, complaints, sent } = await openWith({ templates: [TEMPLATE], apps: [] });
    await page.goto('/templates');
    await page
      .getByRole('row', { name: /golden/ })
      .getByText('phone-720p, Android 14')
      .waitFor();
    await checkPage(page, 'templates');
    await page.getByRole('button', { name: 'Delete golden' }).click();
    await page.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('button', { name: 'Delete template' }).waitFor({ state: 'detached' });
    expect(sent).to.deep.equal([{ method: 'DELETE', path: '/v1/templates/golden', body: '' }]);
    await page.getByRole('link', { name: 'Create a phone from golden' }).click();
    expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).to.equal('golden');
    expect(await page.getByRole('combobox', { name: 'Model' }).isDisabled()).to.equal(true);
    await checkPage(page, 'phone-new-template');
    let body: { template?: string; model?: string } = {};
    await page.route('**/v1/devices', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      body = route.request().postDataJSON();
      return route.fulfill({ status: 400, json: { error: 'bad_request', message: 'template: there is none.' } });
    });
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByText('There is none.').waitFor();
    expect([body.template, body.model]).to.deep.equal(['golden', undefined]);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('make a template of a snapshot', async () => {
    const { job, snapshot } = (await panel.world.api.post('/v1/devices/demo/snapshots', { label: 'signed in' })).body;
    await panel.world.api.get(`/v1/jobs/${job.id}?wait_s=60`);
    const { page, context, complaints, sent } = await openWith({ templates: [], apps: [] });
    await page.goto('/phones/demo/snapshots');
    await page.getByRole('button', { name: 'Make a template of signed in' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('golden');
    await checkPage(page, 'template-new');
    await page.route('**/v1/templates', (route) => {
      sent.push({ method: 'POST', path: '/v1/templates', body: route.request().postData() ?? '' });
      return route.fulfill({ status: 400, json: { error: 'bad_request', message: 'name: golden is taken.' } });
    });
    await page.getByRole('button', { name: 'Make template' }).click();
    await page.getByText('golden is taken.', { exact: false }).waitFor();
    expect(sent.map(({ body }) => JSON.parse(body))).to.deep.equal([{ snapshot: snapshot.id, name: 'golden' }]);
    await page.goto('/templates');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('upload an app to the library under a name, delete it, and offer it for a phone', async () => {
    const { page, context, complaints, sent } = await openWith({ templates: [], apps: [APP] });
    await page.goto('/library');
    await page.getByRole('row', { name: /my\/shop/ }).waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'File' }).click();
    await (await chooser).setFiles(FIXTURE);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).to.equal('fixture-v1');
    await checkPage(page, 'library');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('button', { name: 'File' }).getByText('Choose a file').waitFor();
    await page.getByRole('button', { name: 'Delete my/shop' }).click();
    await page.getByRole('button', { name: 'Delete app' }).click();
    await page.getByRole('button', { name: 'Delete app' }).waitFor({ state: 'detached' });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'PUT /v1/library/apps/fixture-v1',
      'DELETE /v1/library/apps/shop',
    ]);
    await page.goto('/phones/demo/apps');
    await page.getByRole('button', { name: 'Install my/shop' }).click();
    await page.getByText('The app is not there.').waitFor();
    expect(JSON.parse(sent.at(-1)?.body ?? '')).to.deep.equal({ app: 'my/shop' });
    await checkPage(page, 'phone-apps-library');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
