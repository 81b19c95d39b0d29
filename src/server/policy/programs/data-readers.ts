/**
 * Programs without a row that treat their input as data, not as commands. Any other program without a row may run what it reads.
 * To add a program, add its name to a list. The programs in the second list read commands when they have no arguments.
 */
import type { SimpleCommand } from '../script/script.ts'

const names =
  'aha ansifilter clang-format cowsay cowthink csvcut csvgrep csvjoin csvjson csvlook csvsort csvstat cwebp factor figlet fzf gofmt gron html2text hunspell isutf8 jo jpegoptim lolcat mlr numfmt optipng pandoc pbcopy peco pngquant pv qrencode qsv rustfmt sponge stylua termux-tts-speak tidy toilet ts uudecode uuencode wdiff wl-copy xclip xsel xsv'
const withArguments =
  'age base58 black convert exiftool ffmpeg ffprobe gpg gpg2 gum isort magick mpv openssl play prettier qpdf ruff shellcheck shfmt sox tesseract whisper-cli'
const readers = new Set(names.split(' '))
const readersWithArguments = new Set(withArguments.split(' '))

/** Returns whether a program without a row treats its input as data. */
export const readsData = ({ name, words }: SimpleCommand): boolean =>
  readers.has(name) || (words.length > 1 && readersWithArguments.has(name))
