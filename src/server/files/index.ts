/**
 * files: reads, writes, lists, packs and unpacks files at paths that the policy has judged. It makes no decisions, but ensures that it opens
 * exactly what was judged: it follows no link, never waits for a pipe, and gives a file its name only when the file is complete.
 *
 *     folder.ts      a directory held open                  uploads.ts           unfinished uploads, limited by age, number and bytes
 *     open-file.ts   one file, its bytes and its sha256     write.ts             temporary name, flush, rename
 *     list.ts        a page of a directory                  pack.ts, unpack.ts   a directory as tar (tar-format.ts)
 *     artifacts.ts   the files that a request asks to have reported
 *
 * To report another system error, add a row to file-errors.ts.
 */
export { artifacts } from './artifacts.ts'
export { listFolder } from './list.ts'
export { packFolder } from './pack.ts'
export { factsAt, type OpenedFile, openFile } from './open-file.ts'
export { removeFile } from './remove.ts'
export { withFileErrors } from './file-errors.ts'
export { furthest, unpackInto } from './unpack.ts'
export { createUploads, uploadKey, type Uploads } from './uploads.ts'
export { type UploadPart, uploadedBytes, writeFile } from './write.ts'
