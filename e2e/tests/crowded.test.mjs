// Pages with much in them: long lists, long names, wide tables, many versions.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { axe, inWindow, openBrowser, scrollsSideways, shoot } from '../lib/browser.mjs';
import { api, client, startServer } from '../lib/server.mjs';

const TABLES = 400;
const LONG = 'a-table-with-a-name-as-long-as-the-rule-lets-it-be'.padEnd(128, '-x');
let browser;
let server;
let rest;

/** Does something for each number below `count`, a few at a time. */
async function each(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await work(at);
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
  await rest.post('/api/v1/buckets', { name: 'crowd', format: 'lance' });
  for (const namespace of ['many', 'deep', 'deep.er', 'deep.er.and', 'deep.er.and.deeper']) {
    await rest.post('/api/v1/buckets/crowd/namespaces', { namespace });
  }
  const tables = '/api/v1/buckets/crowd/namespaces/many/tables';
  await each(TABLES, (at) => rest.post(tables, { name: `table-${String(at).padStart(4, '0')}` }));
  await rest.post(tables, { name: LONG });
  await each(60, (at) => rest.post('/api/v1/buckets', { name: `${'a-bucket-of-the-longest-name-there-may-be-'.slice(0, 40)}${at}`, format: at % 2 ? 'lance' : 'csv' }));
  client('table', server.url, rest.token, 'crowd$deep$wide', 60, 'wide');
  client('table', server.url, rest.token, 'crowd$deep$changing', 5);
  client('append', join(server.data, 'buckets/crowd/deep/changing'), 119);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const link = (page, name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });

test('a long list is walked, searched and sorted, and leads back', () => inWindow(browser, server, 'ana', async (page) => {
  await page.goto('/buckets/crowd/ns/many');
  await page.getByText(`${TABLES + 1} tables`, { exact: true }).waitFor();
  const first = await page.locator('tbody tr').first().innerText();
  assert.equal(await link(page, 'Previous').count(), 0);
  const seen = new Set();
  for (let walked = 0; walked < 20; walked += 1) {
    for (const name of await page.locator('tbody a.name').allInnerTexts()) seen.add(name);
    if (!await link(page, 'Next').count()) break;
    await link(page, 'Next').click();
    await page.waitForLoadState('load');
  }
  assert.equal(seen.size, TABLES + 1, 'a walk visits everything once');
  await link(page, 'Previous').click();
  await link(page, 'Next').waitFor();
  await link(page, 'Previous').click();
  await link(page, 'Previous').waitFor();
  await link(page, 'First').click();
  await page.waitForURL((address) => address.search === '');
  assert.equal(await page.locator('tbody tr').first().innerText(), first);

  await page.getByRole('searchbox').fill('TABLE-01');
  await page.keyboard.press('Enter');
  await page.getByText('100 tables', { exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Table' }).getByRole('link').click();
  await page.getByRole('link', { name: 'table-0199' }).waitFor();
  assert.match(page.url(), /search=TABLE-01&descending=true/);
}));

test('versions are walked forward and back', () => inWindow(browser, server, 'ana', async (page) => {
  await page.goto('/buckets/crowd/ns/deep/tables/changing/versions');
  await page.getByText('Latest', { exact: true }).waitFor();
  const newest = await page.locator('.timeline strong').first().innerText();
  await link(page, 'Next').click();
  await link(page, 'Previous').waitFor();
  assert.notEqual(await page.locator('.timeline strong').first().innerText(), newest);
  await link(page, 'Next').click();
  await page.getByText('1', { exact: true }).first().waitFor();
  await link(page, 'Previous').click();
  await link(page, 'Next').waitFor();
  await link(page, 'First').or(link(page, 'Previous')).first().click();
  await page.getByText('Latest', { exact: true }).waitFor();
}));

for (const [theme, width] of [['light', 1280], ['dark', 320]]) {
  test(`crowded pages stay in shape, ${theme} at ${width}`, () => inWindow(browser, server, 'ana', async (page) => {
    for (const [path, name] of [
      ['/', 'overview'],
      ['/buckets', 'buckets'],
      ['/buckets/crowd', 'bucket'],
      ['/buckets/crowd/ns/many', 'namespace'],
      ['/buckets/crowd/ns/deep.er.and.deeper', 'deep'],
      ['/buckets/crowd/ns/deep/tables/wide', 'wide'],
      ['/buckets/crowd/ns/deep/tables/wide/rows', 'wide-rows'],
      ['/buckets/crowd/ns/deep/tables/changing', 'changing'],
      ['/buckets/crowd/ns/deep/tables/changing/versions', 'versions'],
      [`/buckets/crowd/ns/many/tables/${LONG}`, 'long-name'],
      [`/buckets/crowd/ns/many/tables/${LONG}/settings`, 'long-name-settings'],
      ['/buckets/crowd/ns/many/drop', 'drop'],
      ['/settings/audit', 'audit'],
      ['/settings/tokens', 'tokens'],
    ]) {
      const answer = await page.goto(path);
      assert.equal(answer.status(), 200, path);
      await shoot(page, `crowded-${name}-${theme}-${width}`);
      assert.equal(await scrollsSideways(page), false, `${path} scrolls sideways`);
      assert.deepEqual(await axe(page), [], path);
    }
  }, { theme, width, bypassCSP: true }));
}
