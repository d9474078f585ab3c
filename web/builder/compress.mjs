// Brotli for many files in one process: reads [[source, target], ...] as JSON from the file named first.
import fs from "node:fs";
import zlib from "node:zlib";

for (const [source, target] of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
    const data = fs.readFileSync(source);
    const params = {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
        [zlib.constants.BROTLI_PARAM_LGWIN]: 22,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    };
    fs.writeFileSync(target, zlib.brotliCompressSync(data, { params }));
}
