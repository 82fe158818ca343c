// What the browser adds: the cards' hint, copy buttons, the palette, the grid's keys and its drawer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inWindow, openBrowser, press, shoot } from '../lib/browser.mjs';
import { api, client, startServer, until } from '../lib/server.mjs';

let browser;
let server;
let rest;

before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
  await rest.post('/api/v1/buckets', { name: 'shop', format: 'lance' });
  client('table', server.url, rest.token, 'shop$sales$orders', 120);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const ROWS = '/buckets/shop/ns/sales/tables/orders/rows';
const ready = (page) => page.waitForFunction(() => document.documentElement.hasAttribute('data-ready'));
const at = (test, options) => inWindow(browser, server, 'ana', async (page, context) => {
  await test(page, context);
}, options);

test('the hint follows the card and the name', () => at(async (page) => {
  await page.goto('/new-bucket');
  const hint = page.locator('p.endpoint');
  await ready(page);
  await page.getByRole('radio', { name: /Lance/ }).check();
  await page.getByRole('textbox', { name: 'Name' }).pressSequentially('photos');
  await hint.getByText('photos', { exact: true }).waitFor();
  assert.match(await hint.innerText(), new RegExp(`${server.url}/lance\\s+namespace\\s+photos`));
  await page.getByRole('radio', { name: /CSV/ }).check();
  await hint.getByText('its storage location').waitFor();
  // Text, whatever is typed.
  await page.getByRole('textbox', { name: 'Name' }).fill('<img src=x onerror=alert(1)>');
  await hint.getByText('<img src=x onerror=alert(1)>').waitFor();
  assert.equal(await hint.locator('img').count(), 0);
  await shoot(page, 'new-bucket-hint');
}));

test('what is chosen before wasm arrives is not lost', () => at(async (page, context) => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await context.route('**/*.wasm', async (route) => { await held; await route.continue(); });
  await page.goto('/new-bucket', { waitUntil: 'domcontentloaded' });
  await page.getByRole('radio', { name: /CSV/ }).check();
  await page.getByRole('textbox', { name: 'Name' }).fill('early');
  release();
  await page.locator('p.endpoint').getByText('early', { exact: true }).waitFor();
  assert.ok(await page.getByRole('radio', { name: /CSV/ }).isChecked());
}));

test('cards are a radio group for the keyboard', () => at(async (page) => {
  await page.goto('/new-bucket');
  await page.getByRole('radio').first().focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  const values = await page.getByRole('radio').evaluateAll((all) => all.map((radio) => [radio.value, radio.checked]));
  assert.equal(values.filter(([, checked]) => checked).length, 1);
  assert.equal(values[1][1], true, 'the arrow moves to the next card');
}));

test('a copy button puts exactly its text on the clipboard', () => at(async (page, context) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto('/buckets/shop/ns/sales/tables/orders/connect');
  await ready(page);
  const copied = async (button) => {
    await button.click();
    await page.getByText('Copied', { exact: true }).first().waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const { location } = await rest.get('/api/v1/buckets/shop/namespaces/sales/tables/orders');
  assert.equal(await copied(page.getByRole('button', { name: 'Copy location' })), location);
  assert.equal(await copied(page.getByRole('button', { name: 'Copy endpoint' })), `${server.url}/lance`);
  const code = await page.getByLabel('pylance code', { exact: true }).textContent();
  assert.equal(await copied(page.getByRole('button', { name: 'Copy pylance code' })), code);
  await page.locator('.sr[role=status]', { hasText: 'Copied' }).waitFor({ state: 'attached' });
}));

test('the palette finds pages, buckets and tables by keyboard, and can be turned off', () => at(async (page) => {
  await page.goto('/');
  await ready(page);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Find anything' });
  await palette.waitFor();
  await page.keyboard.type('order');
  const option = palette.getByRole('option', { name: /shop \/ sales \/ orders/ });
  await option.waitFor();
  await shoot(page, 'palette', { fullPage: false });
  const options = palette.getByRole('option');
  for (let n = 0; n < await options.count() && await option.getAttribute('aria-selected') !== 'true'; n += 1) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/buckets\/shop\/ns\/sales\/tables\/orders$/);
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1', 'focus goes to the heading');

  await ready(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('zzzz');
  await palette.getByText('Nothing of that name').waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'hidden' });

  await page.goto('/buckets');
  await ready(page);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'search');

  await page.getByText('Display').click();
  await press(page, 'Turn shortcut keys off');
  assert.equal(new URL(page.url()).pathname, '/buckets');
  await ready(page);
  await page.keyboard.press('/');
  await page.keyboard.press('Control+k');
  assert.notEqual(await page.evaluate(() => document.activeElement?.id), 'search');
  assert.equal(await palette.isVisible(), false);
}));

test('arrows move between rows, Enter opens one in the drawer, Escape comes back', () => at(async (page, context) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto(ROWS);
  await ready(page);
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  const links = page.locator('a[data-row]');
  await until('one row in the tab order', async () => await page.locator('a[data-row][tabindex="0"]').count() === 1);
  await links.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(), '3');
  await page.keyboard.press('End');
  assert.equal(await focused(), '50');
  await page.keyboard.press('PageUp');
  assert.equal(await focused(), '40');
  await page.keyboard.press('Home');
  assert.equal(await focused(), '1');

  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Row' });
  await drawer.getByRole('heading', { name: 'Row 1', exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '', 'the drawer opens beside the grid');
  await drawer.getByText('norm').waitFor();
  await shoot(page, 'row-drawer', { fullPage: false });
  await page.keyboard.press('ArrowDown');
  await drawer.getByRole('heading', { name: 'Row 2', exact: true }).waitFor();
  await drawer.getByText('null', { exact: true }).waitFor();
  await drawer.getByRole('button', { name: 'Previous' }).click();
  await drawer.getByRole('heading', { name: 'Row 1', exact: true }).waitFor();
  // Copy buttons that came with the row work too.
  await drawer.getByRole('button', { name: 'Copy city' }).click();
  await page.getByText('Copied', { exact: true }).first().waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'Oslo');
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  assert.equal(await focused(), '1', 'focus comes back to the row');
}));

test('without scripts a row opens on the page, with the ones around it', () => at(async (page) => {
  await page.goto(ROWS);
  await page.getByRole('link', { name: 'Row 2 in full' }).click();
  const row = page.locator('#row');
  await row.getByRole('heading', { name: 'Row 2' }).waitFor();
  assert.match(page.url(), /at=version%3A\d+&row=1#row/);
  await shoot(page, 'row-without-scripts');
  await row.getByRole('link', { name: 'Next' }).click();
  await row.getByRole('heading', { name: 'Row 3' }).waitFor();
  await row.getByRole('link', { name: 'Close' }).click();
  assert.equal(await row.count(), 0);
}, { scripts: false }));

test('a filter, chosen columns and a page live in the address', () => at(async (page) => {
  await page.goto(ROWS);
  await page.getByText('Filter', { exact: true }).click();
  await page.getByLabel('Column').selectOption('["id"]');
  await page.getByLabel('Comparison').selectOption('ge');
  await page.getByRole('textbox', { name: 'Value' }).fill('100');
  await press(page, 'Add filter');
  await page.getByText('Rows 1 to 20').waitFor();
  await shoot(page, 'rows-filtered');
  await page.getByText(/^Columns \d of \d$/).click();
  await page.getByRole('checkbox', { name: 'place' }).uncheck();
  await press(page, 'Show these');
  assert.equal(await page.getByRole('columnheader', { name: /place/ }).count(), 0);
  assert.match(page.url(), /filter=/);
  await page.getByRole('link', { name: 'Remove the filter on id' }).click();
  await page.getByText('Rows 1 to 50').waitFor();
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText('Rows 51 to 100').waitFor();
  await page.getByRole('link', { name: 'Previous' }).click();
  await page.getByText('Rows 1 to 50').waitFor();
  assert.equal(await page.getByRole('columnheader', { name: /place/ }).count(), 0, 'the columns stay chosen');
  const wrong = await page.goto(`${ROWS}?filter=${encodeURIComponent('[["id"],"eq","many"]')}`);
  assert.equal(wrong.status(), 400);
  await page.getByText('These rows cannot be shown').waitFor();
  await shoot(page, 'rows-wrong-filter');
}));
