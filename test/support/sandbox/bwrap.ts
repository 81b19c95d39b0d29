/** The command line of bwrap, with the file system of this machine read-only. */
export const bwrap = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev']
/** The same, and the command sees only processes of its own. */
export const bwrapAlone = [...bwrap, '--proc', '/proc', '--unshare-pid']
