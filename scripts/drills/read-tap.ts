/** A test in TAP output. */
export interface Tested {
  /** the names of the tests that contain this test, then its own name */
  path: string[]
  /** the first failed assertion; null: the test passed */
  failed: string | null
  skipped: string | null
}

/** Returns all tests, each with its first failed assertion. */
export function readTap(text: string): Tested[] {
  const tested: Tested[] = []
  const names: string[] = [] // of the unfinished tests
  let failed: string | null = null
  for (const line of text.split('\n')) {
    const begun = /^( *)# Subtest: (.*)/.exec(line)
    if (begun) names.splice(begun[1]!.length / 4, Infinity, begun[2]!)
    const said = /^( *)(not )?ok \d+ - (.*?)(?: # (?:time=\S+|SKIP ?(.*)|TODO.*))?(?: \{)?$/.exec(line)
    if (!said) continue
    const [, indent, isNot, name, skipped] = said
    const depth = indent!.length / 4
    if (isNot) failed ??= name!
    if (names[depth] !== name && skipped === undefined) continue // an assertion
    names.splice(depth)
    tested.push({ path: [...names, name!], failed: isNot ? failed : null, skipped: skipped ?? null })
    if (depth === 0) failed = null
  }
  if (names.length > 0) tested.push({ path: names, failed: failed ?? 'the test never ended', skipped: null })
  return tested
}
