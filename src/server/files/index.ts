/**
 * files: reads, writes, lists, packs and unpacks files at paths that the policy has judged. It makes no decisions, but ensures that it opens
 * exactly what was judged: it follows no link, never waits for a pipe, and gives a file its name only when the file is complete.
 *
 *     folder.ts      a directory held open                  uploads.ts           unfinished uploads, limited by age, number and bytes
 *     open-file.ts   one file, its bytes and its sha256     write.ts             temporary name, flush, rename
 *     list.ts        a page of a directory                  pack.ts, unpack.ts   a directory as tar (tar-format.ts)
 *     content.ts     a whole text file, and its hash       change-files.ts      all of several changes, or none
 *     apply-edits.ts exact replacements                    diff-text.ts         a change, for people
 *     parse-patch.ts unified diffs, and another format     apply-hunks.ts       the changes of a patch
 *     read-lines.ts  numbered lines of a text file        search-files.ts      lines or names (preselected-files.ts, walk-files.ts, ignore-rules.ts)
 *     artifacts.ts   the files that a request asks to have reported
 *
 * To report another system error, add a row to file-errors.ts.
 */
export { applyEdits, snippetOf } from './apply-edits.ts'
export { applyHunks } from './apply-hunks.ts'
export { artifacts } from './artifacts.ts'
export { changeFiles, type ContentChange } from './change-files.ts'
export { contentHash, type OldContent, readOld, toBytes, toText } from './content.ts'
export { describeChange } from './diff-text.ts'
export { listFolder } from './list.ts'
export { type FilePatch, parseFilePatches, type PatchHunk } from './parse-patch.ts'
export { packFolder } from './pack.ts'
export { factsAt, factsIfThere, type OpenedFile, openFile } from './open-file.ts'
export { readLines } from './read-lines.ts'
export { removeFile } from './remove.ts'
export { globTest } from './glob-pattern.ts'
export type { Preselect } from './preselected-files.ts'
export { type LinePattern, searchFiles } from './search-files.ts'
export { withFileErrors } from './file-errors.ts'
export { furthest, unpackInto } from './unpack.ts'
export { modeOf } from './write.ts'
export { createUploads, uploadKey, type Uploads } from './uploads.ts'
export { type UploadPart, uploadedBytes, writeFile } from './write.ts'
