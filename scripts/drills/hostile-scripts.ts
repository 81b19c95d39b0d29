/** Scripts that are cheap to send and expensive to parse, each with a description. */
export const hostile: [string, string][] = [
  ['20 000 nested $(', '$('.repeat(20_000)],
  ['2 000 nested "$(', '"$('.repeat(2_000)],
  ['20 000 (', '('.repeat(20_000)],
  ['a word of 128 KiB', 'a'.repeat(131_000)],
  ['a word with 32 000 brackets', `ls ${'[a'.repeat(32_000)}`],
  ['a setting of git of 120 kB', `git -c ${'pager'.repeat(24_000)} status`],
  ['40 000 options of set', `eval 'set${' -set'.repeat(40_000)}'`],
  ['2 000 here-documents', 'cat <<E\nx\nE\n'.repeat(2_000)],
  ['10 000 commands', 'ls;'.repeat(10_000)],
  [
    '100 variables of 24 values',
    `${Array.from({ length: 100 }, (_, at) => `for v${at} in ${'a b c d e f '.repeat(4)}; do :; done;`).join('')} echo ${Array.from({ length: 100 }, (_, at) => `$v${at}`).join('')}`,
  ],
  ['200 nested eval', `${'eval '.repeat(200)}ls`],
  [
    'a chain of 200 variables',
    `${Array.from({ length: 200 }, (_, at) => `a${at + 1}=$a${at}$a${at}`).join(';')}; echo $a200`,
  ],
  [
    '200 functions that call each other',
    `${Array.from({ length: 200 }, (_, at) => `f${at}() { f${(at + 1) % 200}; f${(at + 7) % 200}; };`).join('')} f0`,
  ],
  ['50 nested loops with cd', `${'for x in a b; do cd $x; '.repeat(50)}ls${'; done'.repeat(50)}`],
  ['a script that is too long', 'a'.repeat(1_000_000)],
]
