/**
 * files: reads, writes, lists, packs and unpacks what lies at a path that was judged before. It decides nothing; it sees to it that what it
 * opens is what was judged: no link is followed, nothing waits for a pipe, what is written has its name only when it is whole.
 *
 *     folder.ts   a directory held open, in which names stay its own       uploads.ts   what has come in part, swept by age, number and bytes
 *     open-file.ts  one file, its bytes and its sha256                       write.ts     temporary name, flush, rename
 *     list.ts     a page of a directory                                    pack.ts, unpack.ts   a directory as tar (tar-format.ts)
 *     artifacts.ts   the files that a command was asked to report
 *
 * To know one more thing that the system can say, add a row to file-errors.ts.
 */
export { artifacts } from './artifacts.ts'
export { listFolder } from './list.ts'
export { packFolder } from './pack.ts'
export { factsAt, type OpenedFile, openFile } from './open-file.ts'
export { removeFile } from './remove.ts'
export { telling } from './file-errors.ts'
export { furthest, unpackInto } from './unpack.ts'
export { createUploads, uploadKey, type Uploads } from './uploads.ts'
export { type UploadPart as Part, uploadedBytes, writeFile } from './write.ts'
