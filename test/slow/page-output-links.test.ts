import t from 'tap'
import type { Page } from 'playwright-core'
import { noBrowser, openBrowser, openPaired, runIn, settlesAt, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const links = (page: Page) =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('.blocks a:not(.number)')].map(({ textContent }) => textContent)",
  )

const lines: [line: string, links: string[]][] = [
  ['see https://example.com/a?b=1&c=2#d.', ['https://example.com/a?b=1&c=2#d']],
  ['(http://localhost:8029/docs), "https://q.example/x"', ['http://localhost:8029/docs', 'https://q.example/x']],
  ['https://en.example/Foo_(bar)) and [HTTPS://B.example/]', ['https://en.example/Foo_(bar)', 'HTTPS://B.example/']],
  ['javascript:alert(1) data:text/html,x ftp://f.example file:///etc', []],
  ['<a href="https://markup.example/">x</a><img src=x onerror=alert(1)>', ['https://markup.example/']],
  ['https:// http://. https://[bad', []],
  ['https://one.example/\u202Egpj.exe', ['https://one.example/']],
  ['\u001B[31mhttps://red.example/\u001B[0m', ['https://red.example/']],
  [`https://long.example/${'x'.repeat(3000)}`, []],
  [
    Array.from({ length: 25 }, (_, at) => `http://n${at}.example`).join(' '),
    Array.from({ length: 20 }, (_, at) => `http://n${at}.example`),
  ],
]

t.test('addresses in the output are links, and nothing else is', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const text = lines.map(([line]) => `${line}\n`).join('')
  await runIn(page, `cat <<'EOF'\n${text}EOF`)
  const plain = text.replace(/\u001B\[\d+m/g, '')
  await settlesAt(t, () => shown(page), plain, 'the text is as it was')
  t.same(
    await links(page),
    lines.flatMap(([, found]) => found),
  )
  const attributes = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.blocks a')].map(({ protocol, rel, target }) => [protocol, rel, target].join(' '))",
  )
  t.same([...new Set(attributes)].sort(), ['http: noopener noreferrer _blank', 'https: noopener noreferrer _blank'])
  t.equal(await page.locator('.blocks img').count(), 0)
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('see https')
  await page.getByText('1 of 1').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('a flood of addresses keeps the number of elements bounded', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq -f "https://example.com/%.0f https://example.com/again" 1 20000')
  t.ok(await until(async () => (await shown(page)).includes('/20000 ')))
  const nodes = await page.evaluate<number>("document.querySelectorAll('.blocks a').length")
  t.ok(nodes > 1000 && nodes <= 6000, `${nodes} links`)
  t.same(pageErrors, [])
  await context.close()
})
