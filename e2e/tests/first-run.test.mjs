// From an empty data folder to rows in the grid: by keyboard, by mouse, and without scripts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { openBrowser, openWindow, shoot, signIn } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

const PASSWORD = 'quiet-lake-glass-42';
let browser;
before(async () => { browser = await openBrowser(); });
after(async () => { await browser?.close(); });

/** Writes a table as a client would: an Arrow stream over the namespace, made by pyarrow. */
function writeTable(url, token, bucket) {
  const program = `
import sys, io, urllib.request, pyarrow as pa
url, token, bucket = sys.argv[1:4]
def post(path, body, kind):
    request = urllib.request.Request(url + path, data=body, method="POST", headers={"x-api-key": token, "content-type": kind})
    return urllib.request.urlopen(request).read()
post(f"/lance/v1/namespace/{bucket}%24sales/create", b"{}", "application/json")
table = pa.table({"id": pa.array(range(120), pa.int64()), "city": ["Oslo", None, ""] * 40, "price": [1.5, float("nan"), -0.0] * 40})
sink = io.BytesIO()
with pa.ipc.new_stream(sink, table.schema) as writer: writer.write_table(table)
post(f"/lance/v1/table/{bucket}%24sales%24orders/create", sink.getvalue(), "application/vnd.apache.arrow.stream")
`;
  execFileSync(process.env.LAKEGLASS_PYTHON ?? 'python3', ['-c', program, url, token, bucket], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('by mouse: set up, create a bucket by its card, see the rows a client wrote', async () => {
  const server = await startServer();
  const { page, faults, close } = await openWindow(browser, { url: server.url });
  try {
    await page.goto(server.setupLink());
    await page.getByRole('textbox', { name: 'Name' }).fill('ana');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    const again = page.getByLabel(/again|repeat|confirm/i);
    if (await again.count()) await again.fill(PASSWORD);
    await shoot(page, 'setup');
    await page.getByRole('button').first().click();
    await page.waitForURL(`${server.url}/`);
    assert.equal((await page.request.get(server.setupLink())).status(), 404, 'the link works once');

    await page.goto('/buckets');
    await page.getByRole('link', { name: 'New bucket' }).first().click();
    await page.getByRole('radio', { name: /Lance/ }).check();
    await page.getByRole('textbox', { name: 'Name' }).fill('Vision');
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await page.getByRole('alert').waitFor();
    assert.match(await page.getByRole('alert').innerText(), /3 to 63 characters/);
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Vision', 'nothing typed is lost');
    await shoot(page, 'new-bucket-error');

    await page.getByRole('textbox', { name: 'Name' }).fill('vision');
    await page.getByText('vision', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await page.waitForURL(/\/buckets\/vision/);
    assert.match(await page.getByRole('status').first().innerText(), /vision/);

    writeTable(server.url, server.token('writer', 'editor'), 'vision');
    await page.goto('/buckets/vision');
    await page.getByRole('link', { name: 'sales' }).first().click();
    await page.getByRole('link', { name: 'orders' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    for (let tries = 0; tries < 50 && !(await page.getByText(/by native lance/).count()); tries += 1) {
      await page.waitForTimeout(200);
      await page.reload();
    }
    assert.match(await page.locator('.seen').first().innerText(), /native lance \d+\.\d+\.\d+/);
    await shoot(page, 'table-overview');
    await page.getByRole('link', { name: 'Rows' }).click();
    await page.getByRole('cell', { name: 'Oslo' }).first().waitFor();
    assert.ok(await page.getByText('NaN').count() > 0 && await page.getByText('null').count() > 0);
    await shoot(page, 'table-rows');
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
});

test('by keyboard alone: sign in, create a bucket, open the palette, reach a row', async () => {
  const server = await startServer();
  server.addUser('ana', 'admin', PASSWORD);
  const { page, faults, close } = await openWindow(browser, { url: server.url });
  const tabTo = async (wanted, most = 60) => {
    for (let n = 0; n < most; n += 1) {
      await page.keyboard.press('Tab');
      if (await wanted.evaluate((el) => el === document.activeElement).catch(() => false)) return;
    }
    throw new Error(`Tab does not reach ${wanted}`);
  };
  try {
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'Name' }).focus();
    await page.keyboard.type('ana');
    await tabTo(page.getByLabel('Password'));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/`);

    await page.goto('/new-bucket');
    await tabTo(page.getByRole('radio').first());
    await page.keyboard.press('Space');
    await tabTo(page.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type('keys');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/buckets\/keys/);

    writeTable(server.url, server.token('writer', 'editor'), 'keys');
    await page.goto('/buckets/keys/ns/sales/tables/orders/rows');
    await page.waitForFunction(() => document.querySelector('leptos-island') !== null);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    const row = page.locator('tbody tr').first();
    await row.focus().catch(() => {});
    await tabTo(page.locator('tbody tr[tabindex="0"], tbody tr a').first(), 120);
    await page.keyboard.press('Enter');
    await page.getByText('Oslo').first().waitFor();
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
});

for (const [what, options] of [['with scripts off', { scripts: false }], ['when wasm never arrives', { wasm: false }]]) {
  test(`${what}: sign in, create a bucket and a table, read rows`, async () => {
    const server = await startServer();
    server.addUser('ana', 'admin', PASSWORD);
    const { page, faults, close } = await openWindow(browser, { url: server.url, ...options });
    try {
      await signIn(page, 'ana', PASSWORD);
      await page.goto('/new-bucket');
      await page.getByRole('radio', { name: /Lance/ }).check();
      await page.getByRole('textbox', { name: 'Name' }).fill('plain');
      await page.getByRole('button', { name: 'Create bucket' }).click();
      await page.waitForURL(/\/buckets\/plain/);
      writeTable(server.url, server.token('writer', 'editor'), 'plain');
      await page.goto('/buckets/plain/ns/sales/tables/orders/rows');
      await page.getByText('Oslo').first().waitFor();
      if (options.wasm === false) {
        await page.locator('#boot-notice').waitFor({ state: 'visible' });
      }
      assert.deepEqual(faults, []);
    } finally {
      await close();
      await server.stop();
    }
  });
}
