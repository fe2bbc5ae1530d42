#!/bin/sh
# Makes the APKs of the folder catalogue/ from the sources here, with Debian's aapt, zipalign, apksigner and android-framework-res;
# keytool is part of a JRE, and the pictures are made by sharp. They are committed, so nobody needs these tools to use them. Run it in
# this folder after changing a source.
#
# The apps have no code of their own, as Debian has no dex compiler: their one activity is Android's own android.app.Activity, which
# starts on any phone and shows the window's background. Each run signs them with a new key, so a phone that has one from before must
# have it removed before it takes the new one.
set -eu
framework=$(dpkg -L android-framework-res | grep -m1 '\.apk$')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

keytool -genkeypair -keystore "$work/key.jks" -storepass demoapps -keypass demoapps -alias demo -dname CN=demo \
  -keyalg EC -groupname secp256r1 -validity 36500 2>/dev/null

# make APP PACKAGE LABEL COLOR SHAPE
make() {
  dir="$work/$1"
  mkdir -p "$dir/res/values" "$dir/res/values-v21" "$dir/res/drawable-xxhdpi" "$dir/res/drawable-nodpi"
  sed -e "s/@PACKAGE@/$2/" AndroidManifest.xml > "$dir/AndroidManifest.xml"
  cp styles.xml "$dir/res/values/styles.xml"
  cp styles-v21.xml "$dir/res/values-v21/styles.xml"
  printf '<resources><string name="app_name">%s</string></resources>' "$3" > "$dir/res/values/strings.xml"
  node --input-type=module -e '
    import sharp from "sharp";
    const [icon, picture, color, shape] = process.argv.slice(1);
    const svg = (w, h, round, size) => Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}"><rect width="${w}" height="${h}" rx="${round}" fill="${color}"/>` +
      `<g transform="translate(${(w - size) / 2} ${(h - size) / 2}) scale(${size / 24})" fill="#fff"><path d="${shape}"/></g></svg>`);
    await sharp(svg(144, 144, 36, 88)).png({ palette: true }).toFile(icon);
    await sharp(svg(360, 640, 0, 160)).png({ palette: true }).toFile(picture);
  ' "$dir/res/drawable-xxhdpi/icon.png" "$dir/res/drawable-nodpi/picture.png" "$4" "$5"
  aapt package -f -M "$dir/AndroidManifest.xml" -S "$dir/res" -I "$framework" -F "$work/$1.unaligned.apk" >/dev/null
  zipalign -f 4 "$work/$1.unaligned.apk" "$work/$1.aligned.apk"
  apksigner sign --ks "$work/key.jks" --ks-pass pass:demoapps --out "catalogue/$1.apk" "$work/$1.aligned.apk"
}

rm -rf catalogue
mkdir catalogue
make postcards org.cloudphone.demo.postcards 'Postcards' '#b3541e' 'M2 5v14h20V5zm11 2h7v4h-7zM4 8h7v2H4zm0 4h7v2H4zm9 2h7v1h-7zm0 2h5v1h-5z'
make recipes org.cloudphone.demo.recipes 'Recipes' '#2e7d32' 'M7 2v8a3 3 0 0 0 2 2.8V22h2v-9.2A3 3 0 0 0 13 10V2h-1.500v7h-1V2h-1v7h-1V2zm9 0c-1.500 1-2 4-2 7v4h2v9h2V2z'
make trails org.cloudphone.demo.trails 'Trails' '#1565c0' 'M2 20 9 6l4 7 2-3 7 10zM18 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4z'
rm -f catalogue/*.idsig
ls -l catalogue
