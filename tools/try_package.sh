#!/usr/bin/env bash
# Installs what `make package` made in a bare Debian, without compiler and source tree, and uses it there. Needs root.
#   tools/try_package.sh RELEASE FILE      a .deb for that release, or the tarball, which runs in any
set -euo pipefail
. "$(dirname "$0")/bare.sh"
bare_system_with "$@"
case $name in
  *.deb)
    tools/quietly.sh try-package "Installing $name in a bare $release" \
      chroot "$root" sh -c "apt-get update && apt-get install -y --no-install-recommends /root/$name"
    program=/usr/bin/minpair
    ;;
  *)
    inside tar -C /opt -xf "/root/$name"
    program=/opt/${name%.tar.gz}/bin/minpair
    ;;
esac
cd "$root/root"
inside "$program" --version
inside "$program" score -m de-mini --method masked-word-l2r "Der Autor lacht." "Der Autor lachen." | tee score.txt
grep -q '^prefers "Der Autor lacht."' score.txt
inside sh -c "cd /root && $program run -q -s de-agreement -m de-lstm --test simple_sentence -o r.db && $program page r.db -o r.html" >/dev/null
grep -q '<html' r.html
# Nothing but glibc may come from the system with the tarball; and pages for man come with both.
inside ldd "$program" | awk '$2 == "=>" { print $3 }' | grep -vE '/(lib(c|m|mvec|pthread|dl|rt|resolv|util|anl)|ld-linux[^/]*)\.so' >libraries.txt || true
case $name in *.deb) ;; *) ! grep -v ^/opt libraries.txt || { echo "libraries from outside the tarball"; exit 1; } ;; esac
zcat "$root${program%/bin/minpair}/share/man/man1/minpair-run.1.gz" | grep -q '^.SH OPTIONS'
echo "$name works in a bare $release"
