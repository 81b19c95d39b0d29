import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { goTo, noBrowser, openBrowser, openPaired, settlesAt, shotFolder, sizes } from './browser.ts'
import { startService, wants } from '../support/helper.ts'

wants(t, noBrowser)
const folder = mkdtempSync(join(tmpdir(), 'shellphone-page-files-'))
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(async () => {
  await Promise.all([browser.close(), service.stop()])
  rmSync(folder, { recursive: true, force: true })
})
mkdirSync(join(folder, 'notes/deep'), { recursive: true })
writeFileSync(join(folder, 'notes/todo.txt'), 'buy milk\n')
writeFileSync(join(folder, 'big.bin'), Buffer.alloc(3_000_000, 'x'))
symlinkSync('notes/todo.txt', join(folder, 'link'))

const addressOf = (path: string) => `#/files?${new URLSearchParams({ path })}`
/** The console error for a response with status 403 or 412. */
const refused = /status of 4(03|12)/

t.test('lists a directory, walks through it, and downloads a file', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(folder) })
  const rows = page.locator('.files > li')
  await rows.nth(2).waitFor()
  t.match(await rows.allTextContents(), [/^big\.bin.*3 MB$/, /^link → notes\/todo\.txt/, /^notes/])
  await page.screenshot({ path: join(shotFolder(), 'files-list-laptop.png') })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download big.bin' }).click(),
  ])
  t.equal(download.suggestedFilename(), 'big.bin')
  t.ok(readFileSync(await download.path()).equals(readFileSync(join(folder, 'big.bin'))), 'every byte')
  await rows.getByRole('link', { name: /^notes/ }).click()
  await rows.filter({ hasText: 'todo.txt' }).waitFor()
  await page.getByRole('link', { name: /^deep/ }).click()
  await page.getByText('This directory is empty.').waitFor()
  const crumbs = page.getByRole('navigation', { name: 'Directories above' })
  t.match(await crumbs.getByRole('link').allTextContents(), ['Home', '/'])
  t.same((await crumbs.getByRole('link').allTextContents()).slice(-2), ['notes', 'deep'])
  await crumbs.getByRole('link', { name: 'notes', exact: true }).click()
  await rows.filter({ hasText: 'todo.txt' }).waitFor()
  await goTo(page, addressOf(join(folder, 'link')))
  await page.getByRole('button', { name: 'Download link' }).waitFor()
  await page.getByLabel('Path').fill(join(folder, 'no-such'))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.locator('.state.failed', { hasText: 'no-such' }).waitFor()
  t.same(
    pageErrors.filter((text) => !/status of 404/.test(text)),
    [],
  )
  await context.close()
})

t.test('uploads files with their progress, and replaces one only after asking', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(join(folder, 'notes')),
    viewport: sizes.phone,
    expected: [refused],
  })
  await page.getByRole('button', { name: 'Upload files here' }).waitFor()
  const input = page.getByLabel('Files to upload')
  const buffer = Buffer.alloc(2_000_000, 'y')
  await input.setInputFiles({ name: 'new.bin', mimeType: 'application/octet-stream', buffer })
  const transfer = page.locator('[aria-label=Transfers] li').first()
  await transfer.getByText('complete').waitFor()
  t.ok(readFileSync(join(folder, 'notes/new.bin')).equals(buffer))
  await page.locator('.files > li', { hasText: 'new.bin' }).waitFor()
  await input.setInputFiles({ name: 'todo.txt', mimeType: 'text/plain', buffer: Buffer.from('buy tea\n') })
  await transfer.getByText('a file with this name already exists').waitFor()
  t.equal(readFileSync(join(folder, 'notes/todo.txt'), 'utf8'), 'buy milk\n', 'the file is unchanged')
  await page.screenshot({ path: join(shotFolder(), 'files-upload-phone.png') })
  await page.getByRole('button', { name: 'Replace the file' }).click()
  await transfer.filter({ hasText: 'todo.txt' }).getByText('complete').waitFor()
  t.equal(readFileSync(join(folder, 'notes/todo.txt'), 'utf8'), 'buy tea\n')
  t.same(pageErrors, [])
  await context.close()
})

t.test('keeps both files, names the target of a refused upload, and dismisses it in any directory', async (t) => {
  const target = join(folder, 'kept')
  mkdirSync(target)
  writeFileSync(join(target, 'a.txt'), 'first\n')
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [refused],
  })
  const upload = (text: string) =>
    page
      .getByLabel('Files to upload')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
  const rows = page.locator('[aria-label=Transfers] li')
  await page.getByRole('button', { name: 'Upload files here' }).waitFor()
  await upload('second\n')
  await rows.getByText('a file with this name already exists').waitFor()
  await upload('third\n')
  await rows.getByText('a file with this name already exists').waitFor()
  t.equal(await rows.count(), 1, 'one row for each file')
  await goTo(page, addressOf(folder))
  await rows.filter({ hasText: join(target, 'a.txt') }).waitFor()
  await page.getByRole('button', { name: 'Keep both' }).click()
  await rows
    .filter({ hasText: join(target, 'a (2).txt') })
    .getByText('complete')
    .waitFor()
  t.equal(readFileSync(join(target, 'a.txt'), 'utf8'), 'first\n')
  t.equal(readFileSync(join(target, 'a (2).txt'), 'utf8'), 'third\n')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await rows.first().waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('creates a directory, deletes it after a second click, and hides its own runs', async (t) => {
  const target = join(folder, 'new-here')
  mkdirSync(target)
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [/status of 409/],
  })
  await page.getByRole('button', { name: 'New directory' }).click()
  await page.getByLabel('Name of the directory').fill("a 'b'")
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('.files > li', { hasText: "a 'b'" }).waitFor()
  t.ok(existsSync(join(target, "a 'b'")))
  await page.screenshot({ path: join(shotFolder(), 'files-directory-laptop.png') })
  await page.getByRole('button', { name: "Delete a 'b'" }).click()
  t.ok(existsSync(join(target, "a 'b'")), 'one click deletes nothing')
  await page.getByRole('button', { name: "Yes, delete a 'b'" }).click()
  await page.getByText('This directory is empty.').waitFor()
  t.notOk(existsSync(join(target, "a 'b'")))
  await goTo(page, '#/runs')
  await page.locator('.run-row', { hasText: 'mkdir' }).first().waitFor()
  await page.getByText('End of the list.').waitFor()
  t.equal(
    await page.locator('.run-row', { hasText: 'new-here' }).filter({ hasText: 'ls -al' }).count(),
    0,
    'no file operation of this browser',
  )
  await page.getByLabel('File operations of this browser').check()
  await page.locator('.run-row', { hasText: 'ls -al' }).first().waitFor()
  await page.screenshot({ path: join(shotFolder(), 'runs-file-operations-laptop.png') })
  t.same(pageErrors, [])
  await context.close()
})

t.test('sorts by name, time and size, and shows hidden files on demand', async (t) => {
  const target = join(folder, 'sorted')
  mkdirSync(target)
  for (const [name, bytes, seconds] of [
    ['a-old.txt', 30, 1000],
    ['b-new.txt', 10, 3000],
    ['c-mid.txt', 20, 2000],
    ['.hidden', 5, 4000],
  ] as const) {
    writeFileSync(join(target, name), Buffer.alloc(bytes))
    utimesSync(join(target, name), seconds, seconds)
  }
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    viewport: sizes.phone,
  })
  const names = () => page.locator('.files > li .grow').allTextContents()
  await page.locator('.files > li').nth(2).waitFor()
  /** [order, names] */
  for (const [order, expected] of [
    ['by name', 'abc'],
    ['newest first', 'bca'],
    ['oldest first', 'acb'],
    ['largest first', 'acb'],
    ['smallest first', 'bca'],
  ] as const) {
    await page.getByLabel('Order').selectOption(order)
    await settlesAt(t, async () => (await names()).map((name) => name[0]).join(''), expected, order)
  }
  await page.getByLabel('Show hidden files (1)').check()
  await settlesAt(t, names, ['.hidden', 'b-new.txt', 'c-mid.txt', 'a-old.txt'], 'the hidden one, too')
  await page.screenshot({ path: join(shotFolder(), 'files-sorted-phone.png') })
  await page.getByLabel('Show hidden files (1)').uncheck()
  await page.getByLabel('Order').selectOption('by name')
  await settlesAt(t, names, ['a-old.txt', 'b-new.txt', 'c-mid.txt'], 'without it again')
  t.same(pageErrors, [])
  await context.close()
})

t.test('says clearly what the token may not do with files', async (t) => {
  for (const [files, message] of [
    ['read', 'This token\'s right "files" is read: it may not change files here'],
    ['none', 'This token\'s right "files" is none: it may not read files here'],
  ] as const) {
    const visit = await openPaired(browser, service, {
      rights: { files },
      view: addressOf(folder),
      expected: [refused],
    })
    const { page, context, pageErrors } = visit
    if (files === 'read') {
      await page.locator('.files > li').first().waitFor()
      const file = { name: 'never.bin', mimeType: 'text/plain', buffer: Buffer.alloc(20_000_000) }
      await page.getByLabel('Files to upload').setInputFiles(file)
    }
    await page.getByRole('alert').filter({ hasText: message }).waitFor()
    t.same(pageErrors, [], files)
    await context.close()
  }
})
