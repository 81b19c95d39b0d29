import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import { noBrowser, openBrowser, openPaired, settlesAt, shotFolder, sizes } from './browser.ts'
import { newFolder } from '../support/folders.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const folder = newFolder(t, 'page-diff')
const service = await startService({
  env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600' },
})
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const fileWith = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const textOf = (path: string) => readFileSync(path, 'utf8')
const edit = (path: string, old: string, next: string) =>
  service.post('/files/edit', { path, edits: [{ old, new: next }] })
/** The lines of the diff in the card, each with its class: removed, added, dim or none. */
const diffOf = (page: Page, index = 0) =>
  page.evaluate<[text: string, kind: string][]>(
    `[...(document.querySelectorAll('.approval-card [aria-label="The change as a diff"]')[${index}]?.querySelectorAll('li') ?? [])]
      .map((line) => [line.textContent, line.className])`,
  )
const changed = async (page: Page) => (await diffOf(page)).filter(([, kind]) => kind === 'added' || kind === 'removed')
async function answer(page: Page, name: 'Approve once' | 'Deny') {
  const button = page.locator('.approval-card:not(.ended)').getByRole('button', { name })
  await button.scrollIntoViewIfNeeded() // Approve is enabled only while it is visible
  await button.click()
}
const ended = (page: Page, text: string) => page.locator('.approval-card.ended', { hasText: text }).last().waitFor()

t.test('a card shows the change of an edit as a diff, and approving makes exactly this change', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: '#/approvals',
    viewport: sizes.phone,
  })
  const path = fileWith('greeting', 'one\nhello\nthree\n')
  const edited = edit(path, 'hello', 'goodb\u202eye')
  await page.locator('.approval-card').waitFor()
  await settlesAt(
    t,
    () => changed(page),
    [
      [`--- ${path}`, 'removed'],
      [`+++ ${path}`, 'added'],
      ['-hello', 'removed'],
      ['+goodb‹\\u{202e}›ye', 'added'],
    ],
    'with invisible characters spelled out',
  )
  t.equal(textOf(path), 'one\nhello\nthree\n', 'nothing changes before the answer')
  await page.screenshot({ path: `${shotFolder()}/approval-diff-phone.png`, fullPage: true })
  await answer(page, 'Approve once')
  await ended(page, 'Approved')
  t.equal((await edited).status, 200)
  t.equal(textOf(path), 'one\ngoodb\u202eye\nthree\n')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a denied change is not made, nor an approved one of a file that has changed since', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/approvals' })
  const path = fileWith('kept', 'old\n')
  const denied = edit(path, 'old', 'new')
  await until(async () => (await changed(page)).some(([text]) => text === '+new'))
  await answer(page, 'Deny')
  await ended(page, 'Denied')
  t.equal((await denied).status, 403)
  t.equal(textOf(path), 'old\n')
  const late = edit(path, 'old', 'newer')
  await page.locator('.approval-card:not(.ended)').waitFor()
  writeFileSync(path, 'old, and more\n')
  await answer(page, 'Approve once')
  await ended(page, 'Approved')
  t.equal((await late).status, 412)
  t.equal(textOf(path), 'old, and more\n', 'the approval was for the content that the diff shows')
  t.same(pageErrors, [])
  await context.close()
})

t.test(
  'a card shows the diff of apply_patch, which must be scrolled to its end before it can be approved',
  async (t) => {
    const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/approvals' })
    const rows = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`)
    const path = fileWith('long', `${rows.join('\n')}\n`)
    const diff = ['@@', ...rows.map((row) => `-${row}`), ...rows.map((row) => `+${row} again`)].join('\n')
    const operation = { type: 'update_file', path, diff }
    const patched = service.post('/exec/openai?tool=apply_patch', { operation })
    const approve = page.getByRole('button', { name: 'Approve once' })
    await approve.scrollIntoViewIfNeeded()
    await page.getByText('First scroll to the end of the command.').waitFor()
    t.ok(await approve.isDisabled())
    const isAtEnd = async () => {
      await page.evaluate(
        `for (const part of document.querySelectorAll('.script-lines')) part.scrollTop = part.scrollHeight`,
      )
      await page.locator('[aria-label="The change as a diff"]').scrollIntoViewIfNeeded()
      return (await page.getByText('First scroll to the end of the command.').count()) === 0
    }
    t.ok(await until(isAtEnd))
    const lines = await changed(page)
    t.equal(lines.filter(([text]) => /^\+line \d+ again$/.test(text)).length, 300, 'shows every added line')
    t.equal(lines.filter(([text]) => /^-line \d+$/.test(text)).length, 300, 'and every removed line')
    await answer(page, 'Approve once')
    await ended(page, 'Approved')
    t.equal((await patched).status, 200)
    t.equal(textOf(path), `${rows.map((row) => `${row} again`).join('\n')}\n`)
    t.same(pageErrors, [])
    await context.close()
  },
)
