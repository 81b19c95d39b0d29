console.log('shellphone')
